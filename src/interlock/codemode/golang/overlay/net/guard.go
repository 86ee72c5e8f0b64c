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
		return nil, nil, false
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
