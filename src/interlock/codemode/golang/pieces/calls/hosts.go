package interlock

import (
	"context"
	"net"
	"os"
	"strconv"
	"time"
)

func reach(ctx context.Context, by, network, address string) (net.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	port := 0
	if err == nil && (len(network) < 3 || network[:3] != "tcp") {
		err = &denied{by + "(" + strconv.Quote(network) + "): only TCP can be asked about here"}
	}
	if err == nil {
		port, err = net.LookupPort(network, service)
	}
	if err == nil {
		err = connects(by, address, host, strconv.Itoa(port))
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	if !dials {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	fd, err := ask("dial", by, address, host, strconv.Itoa(port))
	if err != nil || fd < 0 {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	file := os.NewFile(uintptr(fd), address)
	defer file.Close()
	return net.FileConn(file)
}

func connects(by, named, host, port string) error {
	_, err := ask("connect", by, named, "tcp", host, port)
	return err
}

func Dial(network, address string) (net.Conn, error) {
	return reach(context.Background(), "net.Dial", network, address)
}

func DialTimeout(network, address string, most time.Duration) (net.Conn, error) {
	ctx, stop := context.WithTimeout(context.Background(), most)
	defer stop()
	return reach(ctx, "net.DialTimeout", network, address)
}

func LookupHost(host string) ([]string, error) {
	if _, err := ask("resolve", "net.LookupHost", host, host); err != nil {
		return nil, &net.OpError{Op: "lookup", Net: "ip", Err: err}
	}
	return net.LookupHost(host)
}

func LookupIP(host string) ([]net.IP, error) {
	if _, err := ask("resolve", "net.LookupIP", host, host); err != nil {
		return nil, &net.OpError{Op: "lookup", Net: "ip", Err: err}
	}
	return net.LookupIP(host)
}

// Way is how package web's connections are made: Request has asked for each.
func Way(ctx context.Context, network, address string) (net.Conn, error) {
	return reach(ctx, "http.Transport", network, address)
}

// Request asks for one request to a host.
func Request(scheme, host, port string) error {
	if host == "" {
		return nil // the library says so itself
	}
	if port == "" {
		port = map[string]string{"https": "443"}[scheme]
	}
	if port == "" {
		port = "80"
	}
	return connects("http.RoundTrip", scheme+"://"+net.JoinHostPort(host, port), host, port)
}
