// The self-test of an instrumented library: what reads files and reaches hosts in packages above.
package main

import (
	"archive/zip"
	"crypto/tls"
	"html/template"
	"net/http"
)

var probes = []probe{
	{"template", func() error { return second(template.ParseFiles(nowhere)) }},
	{"zip", func() error { return second(zip.OpenReader(nowhere)) }},
	{"certificate", func() error { return second(tls.LoadX509KeyPair(nowhere, nowhere)) }},
	{"get", func() error { return second(http.Get("http://127.0.0.1:1/")) }},
	{"dir", func() error { return second(http.Dir("/interlock-probe").Open("none")) }},
}
