// The self-test of the calls that ask: every one of them is tried where nothing is allowed. One line is printed for each.
package main

import (
	"context"
	"io/fs"
	"io/ioutil"
	"net"
	"net/http"
	"os"
	"os/exec"
	fp "path/filepath"
	"time"
)

var link = os.Link

var probes = []probe{
	{"open", func() error { return second(os.Open(nowhere)) }},
	{"create", func() error { return second(os.Create(nowhere)) }},
	{"append", func() error { return second(os.OpenFile(nowhere, os.O_APPEND|os.O_WRONLY, 0)) }},
	{"read", func() error { return second(os.ReadFile(nowhere)) }},
	{"write", func() error { return os.WriteFile(nowhere, nil, 0o600) }},
	{"read-dir", func() error { return second(os.ReadDir(nowhere)) }},
	{"stat", func() error { return second(os.Stat(nowhere)) }},
	{"lstat", func() error { return second(os.Lstat(nowhere)) }},
	{"readlink", func() error { return second(os.Readlink(nowhere)) }},
	{"remove", func() error { return os.Remove(nowhere) }},
	{"remove-all", func() error { return os.RemoveAll(nowhere) }},
	{"mkdir", func() error { return os.Mkdir(nowhere, 0o700) }},
	{"mkdir-all", func() error { return os.MkdirAll(nowhere, 0o700) }},
	{"mkdir-temp", func() error { return second(os.MkdirTemp(nowhere, "x*")) }},
	{"create-temp", func() error { return second(os.CreateTemp("", "x*")) }},
	{"rename", func() error { return os.Rename(nowhere, nowhere+"2") }},
	{"link", func() error { return link(nowhere, nowhere+"2") }},
	{"symlink", func() error { return os.Symlink("x", nowhere) }},
	{"truncate", func() error { return os.Truncate(nowhere, 0) }},
	{"chmod", func() error { return os.Chmod(nowhere, 0o600) }},
	{"chown", func() error { return os.Chown(nowhere, 0, 0) }},
	{"lchown", func() error { return os.Lchown(nowhere, 0, 0) }},
	{"chtimes", func() error { return os.Chtimes(nowhere, time.Now(), time.Now()) }},
	{"chdir", func() error { return os.Chdir(nowhere) }},
	{"old-read", func() error { return second(ioutil.ReadFile(nowhere)) }},
	{"old-write", func() error { return ioutil.WriteFile(nowhere, nil, 0o600) }},
	{"old-temp-dir", func() error { return second(ioutil.TempDir("", "x")) }},
	{"old-temp-file", func() error { return second(ioutil.TempFile("", "x")) }},
	{"links", func() error { return second(fp.EvalSymlinks(nowhere)) }},
	{"glob", func() error { return second(fp.Glob(nowhere + "/*")) }},
	{"walk", func() error { return fp.Walk("/", func(_ string, _ fs.FileInfo, err error) error { return err }) }},
	{"walk-dir", func() error { return fp.WalkDir("/", func(_ string, _ fs.DirEntry, err error) error { return err }) }},
	{"run", func() error { return exec.Command(nowhere).Run() }},
	{"start", func() error { return exec.CommandContext(context.Background(), nowhere).Start() }},
	{"output", func() error { return second(exec.Command(nowhere).Output()) }},
	{"both-outputs", func() error { var c *exec.Cmd = exec.Command(nowhere); return second(c.CombinedOutput()) }},
	{"dial", func() error { return second(net.Dial("tcp", "127.0.0.1:1")) }},
	{"dial-udp", func() error { return second(net.DialTimeout("udp", "127.0.0.1:1", time.Second)) }},
	{"lookup", func() error { return second(net.LookupHost("interlock-probe.invalid")) }},
	{"lookup-ip", func() error { return second(net.LookupIP("interlock-probe.invalid")) }},
	{"get", func() error { return second(http.Get("http://127.0.0.1:1/")) }},
	{"client", func() error { return second((&http.Client{}).Get("http://127.0.0.1:1/")) }},
}
