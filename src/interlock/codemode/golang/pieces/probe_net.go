// The self-test of an instrumented library: what programs with a network have besides.
package main

import (
	"net"
	"time"
)

var probes = []probe{
	{"lookup", func() error { return second(net.LookupHost("interlock-probe.invalid")) }},
	{"dial", func() error { return second(net.DialTimeout("tcp", "127.0.0.1:1", time.Second)) }},
	{"dial-udp", func() error { return second(net.Dial("udp", "127.0.0.1:1")) }},
	{"dial-unix", func() error { return second(net.Dial("unix", nowhere)) }},
	{"listen", func() error { return second(net.Listen("tcp", "127.0.0.1:0")) }},
	{"listen-packet", func() error { return second(net.ListenPacket("udp", "127.0.0.1:0")) }},
}
