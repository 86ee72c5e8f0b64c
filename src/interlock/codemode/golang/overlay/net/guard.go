// Where single hosts are allowed, the broker looks their names up, connects, and hands the connection over.

package net

import (
	"context"
	"os"
	"syscall"
)

// guardDial connects by way of the broker; not done where the network is the program's own, or is no TCP.
func guardDial(ctx context.Context, d *Dialer, network, address string) (conn Conn, err error, done bool) {
	if !syscall.GuardDials() || len(network) < 3 || network[:3] != "tcp" {
		err := guardAddress("connect", network, address)
		return nil, err, err != nil
	}
	host, service, err := SplitHostPort(address)
	if err == nil && ctx.Err() != nil {
		err = mapErr(ctx.Err())
	}
	port := 0
	if err == nil {
		port, err = d.resolver().LookupPort(ctx, network, service)
	}
	if err == nil && syscall.GuardWaits(host, port) {
		return nil, nil, false
	}
	fd := -1
	if err == nil {
		fd, err = syscall.GuardDial(host, port)
	}
	if err == nil {
		file := os.NewFile(uintptr(fd), address)
		conn, err = FileConn(file)
		file.Close()
	}
	if err != nil {
		return nil, &OpError{Op: "dial", Net: network, Err: err}, true
	}
	return conn, nil, true
}

// guardListen is asked before a socket to wait at is made: where there is no network, the kernel refuses even that, without a word why.
func guardListen(network, address string) error { return guardAddress("bind", network, address) }

// guardAddress asks about an address as the program writes it; a name to be reached is asked about when it is looked up.
func guardAddress(operation, network, address string) error {
	host, port, err := SplitHostPort(address)
	if err != nil || len(network) < 3 || network[:3] != "tcp" && network[:3] != "udp" {
		return nil // what is wrong with it the library says, and other kinds of sockets are asked about when they are used
	}
	if operation == "connect" && ParseIP(host) == nil {
		return nil
	}
	if err := syscall.GuardSocketAt(operation, network[:3], host, port); err != nil {
		return &OpError{Op: map[string]string{"bind": "listen", "connect": "dial"}[operation], Net: network, Err: err}
	}
	return nil
}
