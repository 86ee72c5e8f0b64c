// Attacks by the standard library, each a function; what is foreign comes as NAME=VALUE words behind the case's name.
package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/syslog"
	"net"
	"net/http"
	"net/rpc"
	"net/smtp"
	"net/textproto"
	o "os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"syscall"
	"time"
)

var given = map[string]string{}

func second[T any](_ T, err error) error { return err }

// got is an error where nothing was got.
func got(found bool, err error) error {
	if err == nil && !found {
		return fs.ErrPermission
	}
	return err
}

func read(path string) error {
	data, err := o.ReadFile(path)
	return got(len(data) > 0, err)
}

func put(path string) error {
	if err := o.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return o.WriteFile(path, []byte("x"), 0o600)
}

func only(path string) error { return second(o.OpenFile(path, o.O_WRONLY, 0)) }

func run(change func(*exec.Cmd), words ...string) error {
	command := exec.Command(words[0], words[1:]...)
	change(command)
	return command.Run()
}

func plain(*exec.Cmd) {}

func said(network, address string) error {
	connection, err := net.DialTimeout(network, address, 3*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	return second(connection.Write([]byte("x")))
}

// answered takes an error of a protocol for an answer of the host.
func answered(err error) error {
	var protocol *textproto.Error
	var refused *net.OpError
	switch {
	case errors.As(err, &protocol), errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &refused) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ECONNREFUSED):
		return err
	case err != nil && strings.Contains(err.Error(), "short response"), err != nil && strings.Contains(err.Error(), "first record"):
		return nil
	}
	return err
}

func secret() string { return given["SECRET"] }
func host() string   { return "127.0.0.1:" + given["PORT"] }
func other(name string) string {
	return "/proc/" + given["OUTSIDER"] + "/" + name
}

var cases = map[string]func() error{
	"program":           func() error { return run(plain, "/bin/true") },
	"its own file":      func() error { return run(plain, "/proc/self/exe", "nothing") },
	"the loader":        func() error { return run(plain, "/lib64/ld-linux-x86-64.so.2", "/bin/true") },
	"with LD_PRELOAD":   func() error { return run(func(c *exec.Cmd) { c.Env = []string{"LD_PRELOAD=./x.so"} }, "/bin/true") },
	"with LD_AUDIT":     func() error { return run(func(c *exec.Cmd) { c.Env = []string{"LD_AUDIT=./x.so"} }, "/bin/true") },
	"in another folder": func() error { return run(func(c *exec.Cmd) { c.Dir = given["OUT"] }, "/bin/true") },
	"with a pipe of its own": func() error {
		return run(func(c *exec.Cmd) { r, _, _ := o.Pipe(); c.ExtraFiles = []*o.File{r} }, "/bin/true")
	},
	"process by attributes": func() error { return second(o.StartProcess("/bin/true", []string{"true"}, &o.ProcAttr{})) },
	"a copy in the workspace": func() error {
		data, err := o.ReadFile("/bin/true")
		if err == nil {
			err = o.WriteFile("copied", data, 0o755)
		}
		if err != nil {
			return err
		}
		return run(plain, "./copied")
	},
	"a script": func() error {
		if err := o.WriteFile("script", []byte("#!/bin/true\n"), 0o755); err != nil {
			return err
		}
		return run(plain, "./script")
	},
	"a shell":      func() error { return run(plain, "sh", "-c", ":") },
	"its debugger": func() error { return run(plain, "go", "version") },

	"secret by open": func() error { return read(secret()) },
	"secret by a file system": func() error {
		data, err := fs.ReadFile(o.DirFS("/"), strings.TrimPrefix(secret(), "/"))
		return got(len(data) > 0, err)
	},
	"secret by a root": func() error {
		root, err := o.OpenRoot(given["HOME"])
		if err != nil {
			return err
		}
		return second(root.ReadFile(".ssh/id_rsa"))
	},
	"secret by a link": func() error {
		o.Remove("to-key")
		if err := o.Symlink(secret(), "to-key"); err != nil {
			return err
		}
		return read("to-key")
	},
	"secret by two links": func() error {
		o.Remove("first")
		o.Remove("second")
		o.Symlink(filepath.Dir(secret()), "first")
		o.Symlink("first/id_rsa", "second")
		return read("second")
	},
	"secret by template":     func() error { return second(template.ParseGlob(filepath.Dir(secret()) + "/*")) },
	"secret by a copy":       func() error { return second(copied(secret())) },
	"secret into an archive": func() error { var to bytes.Buffer; return tar.NewWriter(&to).AddFS(o.DirFS(filepath.Dir(secret()))) },
	"secret by CopyFS":       func() error { o.RemoveAll("taken"); return o.CopyFS("taken", o.DirFS(filepath.Dir(secret()))) },
	"secret by a handler": func() error {
		file, err := http.Dir(filepath.Dir(secret())).Open("/id_rsa")
		return got(file != nil, err)
	},
	"secret as a certificate":     func() error { return certificate(secret()) },
	"secret by /proc/self/root":   func() error { return read("/proc/self/root" + secret()) },
	"secret by /proc/thread-self": func() error { return read("/proc/thread-self/root" + secret()) },
	"secret by another's root":    func() error { return read(other("root") + secret()) },
	"hard link to a secret": func() error {
		o.Remove("hard")
		if err := o.Link(secret(), "hard"); err != nil {
			return err
		}
		return read("hard")
	},

	"memory of another":      func() error { return second(o.OpenFile(other("mem"), o.O_RDWR, 0)) },
	"environment of another": func() error { return read(other("environ")) },
	"maps of another":        func() error { return read(other("maps")) },
	"signal to another":      func() error { return signalled(given["OUTSIDER"]) },
	"name of another":        func() error { return o.WriteFile(other("comm"), []byte("sleep"), 0) },
	"who is killed first":    func() error { return o.WriteFile(other("oom_score_adj"), []byte("0"), 0) },
	"its own memory":         func() error { return second(o.OpenFile("/proc/self/mem", o.O_RDWR, 0)) },
	"a variable":             func() error { return got(o.Getenv("A_SECRET_TOKEN") != "", nil) },

	"TCP":               func() error { return said("tcp", host()) },
	"TCP by a raw text": func() error { return said("tcp4", "0x7f.1:"+given["PORT"]) },
	"TCP mapped":        func() error { return said("tcp6", "[::ffff:127.0.0.1]:"+given["PORT"]) },
	"UDP":               func() error { return said("udp", host()) },
	"ping":              func() error { return said("ip4:icmp", "127.0.0.1") },
	"multicast": func() error {
		return second(net.ListenMulticastUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: 5353}))
	},
	"waiting":             func() error { return second(net.Listen("tcp", "127.0.0.1:0")) },
	"waiting for all":     func() error { return second(net.Listen("tcp", ":0")) },
	"waiting for packets": func() error { return second(net.ListenPacket("udp", "127.0.0.1:0")) },
	"file of a socket":    func() error { return said("unix", given["SOCKET"]) },
	"datagrams to a file": func() error { return said("unixgram", given["DATAGRAM"]) },
	"abstract socket":     func() error { return said("unix", "@"+given["ABSTRACT"]) },
	"a socket's own file": func() error { o.Remove("s"); return second(net.Listen("unix", "s")) },
	"system log":          func() error { return second(syslog.Dial("tcp", host(), syslog.LOG_INFO, "x")) },
	"remote calls":        func() error { return second(rpc.Dial("tcp", host())) },
	"mail":                func() error { return answered(second(smtp.Dial(host()))) },
	"text protocol":       func() error { return second(textproto.Dial("tcp", host())) },
	"TLS": func() error {
		return answered(second(tls.DialWithDialer(&net.Dialer{Timeout: 3 * time.Second}, "tcp", host(), &tls.Config{InsecureSkipVerify: true})))
	},
	"resolver of its own": func() error {
		r := net.Resolver{PreferGo: true, Dial: func(c context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			connection, err := d.DialContext(c, "tcp", host())
			if err == nil {
				o.WriteFile("reached", nil, 0o600)
			}
			return connection, err
		}}
		o.Remove("reached")
		_, err := r.LookupHost(context.Background(), "a.test")
		if _, there := o.Stat("reached"); there == nil {
			return nil
		}
		return errors.Join(fs.ErrPermission, err)
	},

	"profile of a shell":   func() error { return put(given["HOME"] + "/.profile") },
	"start of a desktop":   func() error { return put(given["HOME"] + "/.config/autostart/x.desktop") },
	"service of a user":    func() error { return put(given["HOME"] + "/.config/systemd/user/x.service") },
	"keys that may enter":  func() error { return put(given["HOME"] + "/.ssh/authorized_keys") },
	"settings of a client": func() error { return put(given["HOME"] + "/.claude/settings.json") },
	"policy of the guard":  func() error { return put(given["HOME"] + "/.config/interlock/policy.yaml") },
	"hook of git":          func() error { return put(".git/hooks/pre-commit") },
	"configuration of git": func() error { return put(".git/config") },
	"file outside":         func() error { return put(given["OUT"] + "/new.txt") },
	"mode outside":         func() error { return o.Chmod(given["OUT"]+"/note.txt", 0o600) },
	"mode by a file": func() error {
		file, err := o.Open(given["OUT"] + "/note.txt")
		if err != nil {
			return err
		}
		return file.Chmod(0o600)
	},
	"times outside": func() error { return o.Chtimes(given["OUT"]+"/note.txt", time.Now(), time.Now()) },
	"trace outside": func() error {
		file, err := o.Create(given["OUT"] + "/trace")
		if err != nil {
			return err
		}
		return trace.Start(file)
	},
	"profile outside": func() error {
		file, err := o.Create(given["OUT"] + "/profile")
		if err != nil {
			return err
		}
		return pprof.WriteHeapProfile(file)
	},
	"archive that climbs": func() error { return put("../outside/climbed") },
	"system's passwords":  func() error { return read("/etc/shadow") },
	"system's hosts":      func() error { return only("/etc/hosts") },
	"where cores go":      func() error { return only("/proc/sys/kernel/core_pattern") },
	"kernel's log":        func() error { return only("/dev/kmsg") },
}

func copied(path string) (int64, error) {
	from, err := o.Open(path)
	if err != nil {
		return 0, err
	}
	to, err := o.Create("copy")
	if err != nil {
		return 0, err
	}
	return to.ReadFrom(from)
}

func certificate(path string) error {
	_, err := tls.LoadX509KeyPair(path, path)
	if err != nil && strings.Contains(err.Error(), "PEM") {
		return nil // it was read
	}
	return err
}

func signalled(pid string) error {
	var number int
	fmt.Sscan(pid, &number)
	process, err := o.FindProcess(number)
	if err != nil {
		return err
	}
	return process.Signal(syscall.SIGCONT)
}

func main() {
	for _, word := range o.Args[2:] {
		name, value, _ := strings.Cut(word, "=")
		given[name] = value
	}
	if o.Args[1] == "twins" {
		twins()
		return
	}
	names := []string{o.Args[1]}
	if o.Args[1] == "names" {
		for name := range cases {
			fmt.Println(name)
		}
		return
	}
	for _, name := range names {
		if err := cases[name](); err == nil {
			fmt.Println("got")
		} else {
			fmt.Println("stopped:", err)
		}
	}
}

// twins does what is permitted, by the same functions.
func twins() {
	o.WriteFile("own.txt", []byte("x"), 0o600)
	for name, err := range map[string]error{
		"read": read("own.txt"), "write": put("made/own.txt"), "mode": o.Chmod("own.txt", 0o600), "times": o.Chtimes("own.txt", time.Now(), time.Now()),
		"link": func() error { o.Remove("own-link"); return o.Symlink("own.txt", "own-link") }(), "copy": second(copied("own.txt")),
		"tree": o.RemoveAll("made"), "variable": got(o.Getenv("HOME") != "", nil), "signal": signalled(fmt.Sprint(o.Getpid())),
		"template": second(template.ParseGlob("own.txt")), "root": func() error {
			root, err := o.OpenRoot(".")
			if err != nil {
				return err
			}
			return second(root.ReadFile("own.txt"))
		}(),
	} {
		if err != nil {
			fmt.Println("refused", name, err)
		}
	}
	fmt.Println("end")
}
