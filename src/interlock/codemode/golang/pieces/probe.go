// The self-test of an instrumented library: every choke point is tried where nothing is allowed. One line is printed for each.
package main

import (
	"archive/zip"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

const nowhere = "/interlock-probe/none"

func second[T any](_ T, err error) error { return err }

var probes = []struct {
	name string
	try  func() error
}{
	{"open", func() error { return second(os.Open(nowhere)) }},
	{"create", func() error { return second(os.Create(nowhere)) }},
	{"append", func() error { return second(os.OpenFile(nowhere, os.O_APPEND|os.O_WRONLY, 0)) }},
	{"read-dir", func() error { return second(os.ReadDir(nowhere)) }},
	{"dir-fs", func() error { return second(fs.ReadFile(os.DirFS("/interlock-probe"), "none")) }},
	{"root", func() error { return second(os.OpenRoot(nowhere)) }},
	{"stat", func() error { return second(os.Stat(nowhere)) }},
	{"lstat", func() error { return second(os.Lstat(nowhere)) }},
	{"readlink", func() error { return second(os.Readlink(nowhere)) }},
	{"remove", func() error { return os.Remove(nowhere) }},
	{"mkdir", func() error { return os.Mkdir(nowhere, 0o700) }},
	{"rename", func() error { return os.Rename(nowhere, nowhere+"2") }},
	{"link", func() error { return os.Link(nowhere, nowhere+"2") }},
	{"symlink", func() error { return os.Symlink("x", nowhere) }},
	{"truncate", func() error { return os.Truncate(nowhere, 0) }},
	{"chmod", func() error { return os.Chmod(nowhere, 0o600) }},
	{"chown", func() error { return os.Lchown(nowhere, 0, 0) }},
	{"chtimes", func() error { return os.Chtimes(nowhere, time.Now(), time.Now()) }},
	{"chdir", func() error { return os.Chdir(nowhere) }},
	{"glob", func() error {
		return filepath.WalkDir(nowhere, func(_ string, _ fs.DirEntry, err error) error { return err })
	}},
	{"template", func() error { return second(template.ParseFiles(nowhere)) }},
	{"zip", func() error { return second(zip.OpenReader(nowhere)) }},
	{"certificate", func() error { return second(tls.LoadX509KeyPair(nowhere, nowhere)) }},
	{"exec", func() error { return exec.Command(nowhere).Run() }},
	{"start", func() error { return second(os.StartProcess(nowhere, []string{"none"}, &os.ProcAttr{})) }},
	{"replace", func() error { return syscall.Exec(nowhere, []string{"none"}, nil) }},
	{"signal", func() error {
		parent, err := os.FindProcess(os.Getppid())
		if err != nil {
			return err
		}
		return parent.Signal(syscall.Signal(23)) // nobody ends from it: SIGURG on Linux, SIGIO on macOS
	}},
	{"lookup", func() error { return second(net.LookupHost("interlock-probe.invalid")) }},
	{"dial", func() error { return second(net.DialTimeout("tcp", "127.0.0.1:1", time.Second)) }},
	{"dial-udp", func() error { return second(net.Dial("udp", "127.0.0.1:1")) }},
	{"dial-unix", func() error { return second(net.Dial("unix", nowhere)) }},
	{"listen", func() error { return second(net.Listen("tcp", "127.0.0.1:0")) }},
	{"listen-packet", func() error { return second(net.ListenPacket("udp", "127.0.0.1:0")) }},
	{"get", func() error { return second(http.Get("http://127.0.0.1:1/")) }},
	{"dir", func() error { return second(http.Dir("/interlock-probe").Open("none")) }},
}

func main() {
	_, _ = json.Marshal(regexp.MustCompile("x").String())
	for _, probe := range probes {
		err := probe.try()
		said := "refused"
		if !errors.Is(err, fs.ErrPermission) {
			said = fmt.Sprintf("let through: %v", err)
		}
		fmt.Printf("%s %s\n", probe.name, said)
	}
}
