// Package web makes every HTTP client that is not given another way go by package interlock.
package web

import (
	"net/http"

	"program/interlock"
)

type asking struct{ inner *http.Transport }

func (a asking) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := interlock.Request(request.URL.Scheme, request.URL.Hostname(), request.URL.Port()); err != nil {
		return nil, err
	}
	return a.inner.RoundTrip(request)
}

func init() { http.DefaultTransport = asking{&http.Transport{DialContext: interlock.Way}} }
