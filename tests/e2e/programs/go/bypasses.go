// Ways around a permission check, each a function that takes the folder it works in: one that is lent, or one that is not.
package main

import (
	"archive/zip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	o "os"
	"os/exec"
	signals "os/signal"
	"os/user"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"

	. "io/ioutil"
)

type remover interface{ remove(string) error }
type disk struct{}

func (disk) remove(path string) error { return o.Remove(path) }

func second[T any](_ T, err error) error { return err }

// early runs before main does.
var early, earlyError = func() (string, error) {
	if len(o.Args) > 1 && o.Args[1] == "package-variable" {
		data, err := o.ReadFile(filepath.Join(o.Args[2], "data.txt"))
		return string(data), err
	}
	return "", nil
}()

var initError error

func init() {
	if len(o.Args) > 1 && o.Args[1] == "init" {
		initError = second(o.ReadFile(filepath.Join(o.Args[2], "data.txt")))
	}
}

func data(folder string) string { return folder + "/data.txt" }

var cases = map[string]func(folder string) error{
	"method-value": func(f string) error { remove := o.Remove; return remove(data(f)) },
	"alias":        func(f string) error { return o.Remove(data(f)) },
	"dot-import":   func(f string) error { return second(ReadFile(data(f))) },
	"in-a-map": func(f string) error {
		return map[string]func(string) error{"x": o.Remove}["x"](data(f))
	},
	"in-a-struct": func(f string) error { return struct{ f func(string) error }{o.Remove}.f(data(f)) },
	"as-argument": func(f string) error { return func(g func(string) error) error { return g(data(f)) }(o.Remove) },
	"reflect": func(f string) error {
		err, _ := reflect.ValueOf(o.Remove).Call([]reflect.Value{reflect.ValueOf(data(f))})[0].Interface().(error)
		return err
	},
	"interface": func(f string) error { var r remover = disk{}; return r.remove(data(f)) },
	"goroutine": func(f string) (err error) {
		var wait sync.WaitGroup
		wait.Add(1)
		go func() { defer wait.Done(); err = o.Remove(data(f)) }()
		wait.Wait()
		return err
	},
	"deferred":         func(f string) (err error) { defer func() { err = o.Remove(data(f)) }(); return nil },
	"package-variable": func(string) error { return earlyError },
	"init":             func(string) error { return initError },
	"root": func(f string) error {
		root, err := o.OpenRoot(filepath.Dir(f))
		if err != nil {
			return err
		}
		return second(root.Open(filepath.Base(f) + "/data.txt"))
	},
	"root-fs": func(f string) error {
		root, err := o.OpenRoot(filepath.Dir(f))
		if err != nil {
			return err
		}
		return second(fs.ReadFile(root.FS(), filepath.Base(f)+"/data.txt"))
	},
	"root-remove": func(f string) error {
		root, err := o.OpenRoot(filepath.Dir(f))
		if err != nil {
			return err
		}
		return root.Remove(filepath.Base(f) + "/data.txt")
	},
	"root-rename": func(f string) error {
		root, err := o.OpenRoot(filepath.Dir(f))
		if err != nil {
			return err
		}
		return root.Rename(filepath.Base(f)+"/data.txt", filepath.Base(f)+"/moved.txt")
	},
	"dir-fs": func(f string) error { return second(fs.ReadFile(o.DirFS(f), "data.txt")) },
	"walk": func(f string) error {
		return filepath.WalkDir(f, func(_ string, _ fs.DirEntry, err error) error { return err })
	},
	"glob":     func(f string) error { return found(filepath.Glob(f + "/*.txt")) },
	"http-dir": func(f string) error { return second(http.Dir(f).Open("data.txt")) },
	"template": func(f string) error { return second(template.ParseFiles(f + "/page.tmpl")) },
	"zip":      func(f string) error { return second(zip.OpenReader(f + "/a.zip")) },
	"key-pair": func(f string) error { return permission(second(tls.LoadX509KeyPair(data(f), data(f)))) },
	"symlink": func(f string) error {
		link := "link-to-it"
		o.Remove(link)
		if err := o.Symlink(data(f), link); err != nil {
			return err
		}
		return second(o.ReadFile(link))
	},
	"symlink-to-write": func(f string) error {
		link := "link-to-new"
		o.Remove(link)
		if err := o.Symlink(f+"/new.txt", link); err != nil {
			return err
		}
		return o.WriteFile(link, nil, 0o600)
	},
	"symlink-to-folder": func(f string) error {
		link := "link-to-folder"
		o.Remove(link)
		if err := o.Symlink(f, link); err != nil {
			return err
		}
		return o.Remove(link + "/data.txt")
	},
	"hard-link": func(f string) error {
		o.Remove("hard")
		if err := o.Link(data(f), "hard"); err != nil {
			return err
		}
		return second(o.ReadFile("hard"))
	},
	"proc-root": func(f string) error { return second(o.ReadFile("/proc/self/root" + data(f))) },
	"proc-cwd":  func(f string) error { return second(o.ReadFile("/proc/self/cwd/" + up(f) + "/data.txt")) },
	"dev-fd": func(f string) error {
		folder, err := o.Open(f)
		if err != nil {
			return err
		}
		return second(o.ReadFile("/dev/fd/" + strconv.Itoa(int(folder.Fd())) + "/data.txt"))
	},
	"double-slash": func(f string) error { return second(o.ReadFile("/" + data(f))) },
	"dots":         func(f string) error { return second(o.ReadFile(f + "/sub/../data.txt")) },
	"dots-through": func(f string) error { return second(o.ReadFile("sub/../" + up(f) + "/data.txt")) },
	"chdir": func(f string) error {
		if err := o.Chdir("/"); err != nil {
			return err
		}
		return o.Remove(strings.TrimPrefix(data(f), "/"))
	},
	"fchdir": func(f string) error {
		folder, err := o.Open(filepath.Dir(f))
		if err != nil {
			return err
		}
		if err := folder.Chdir(); err != nil {
			return err
		}
		return o.Remove(filepath.Base(f) + "/data.txt")
	},
	"rename-in": func(f string) error { return o.Rename(data(f), "moved-in.txt") },
	"rename-out": func(f string) error {
		if err := o.WriteFile("going.txt", nil, 0o600); err != nil {
			return err
		}
		return o.Rename("going.txt", f+"/arrived.txt")
	},
	"swap":  swap,
	"write": func(f string) error { return o.WriteFile(f+"/new.txt", []byte("x"), 0o600) },
	"append": func(f string) error {
		file, err := o.OpenFile(data(f), o.O_APPEND|o.O_WRONLY, 0)
		if err == nil {
			err = second(file.WriteString("x"))
		}
		return err
	},
	"truncate":   func(f string) error { return o.Truncate(data(f), 1) },
	"mkdir":      func(f string) error { return o.MkdirAll(f+"/a/b", 0o700) },
	"remove-all": func(f string) error { return o.RemoveAll(f + "/sub") },
	"chmod":      func(f string) error { return o.Chmod(data(f), 0o600) },
	"chtimes":    func(f string) error { return o.Chtimes(data(f), time.Now(), time.Now()) },
	"stat":       func(f string) error { return second(o.Stat(data(f))) },
	"copy-fs":    func(f string) error { return o.CopyFS(f+"/copied", o.DirFS("sub")) },
	"heap-dump": func(f string) error {
		file, err := o.Create(f + "/heap")
		if err == nil {
			debug.WriteHeapDump(file.Fd())
		}
		return err
	},
	"crash-output": func(f string) error {
		file, err := o.Create(f + "/crash")
		if err == nil {
			err = debug.SetCrashOutput(file, debug.CrashOptions{})
		}
		return err
	},
	"profile": func(f string) error {
		file, err := o.Create(f + "/profile")
		if err == nil {
			err = pprof.Lookup("heap").WriteTo(file, 0)
		}
		return err
	},
	"location": func(f string) error {
		o.Setenv("ZONEINFO", f)
		return permission(second(time.LoadLocation("data.txt")))
	},
	"shell-start": func(f string) error { return o.WriteFile(f+"/.bashrc", []byte("x"), 0o600) },
	"git-hook":    func(f string) error { return o.WriteFile(f+"/.git/hooks/pre-commit", []byte("x"), 0o700) },
	"user":        func(string) error { return second(user.Current()) },
	"broker-line": line,
	"inherited":   inherited,
	"terminal": func(string) error {
		data, err := io.ReadAll(o.Stdin)
		if err == nil && len(data) == 0 {
			return nil
		}
		return fmt.Errorf("read %q, %v", data, err)
	},
	"parent-memory": func(string) error {
		return second(o.OpenFile("/proc/"+strconv.Itoa(o.Getppid())+"/mem", o.O_RDWR, 0))
	},
	"own-memory": func(string) error { return second(o.OpenFile("/proc/self/mem", o.O_RDWR, 0)) },
	"parent-environment": func(string) error {
		return second(o.ReadFile("/proc/" + strconv.Itoa(o.Getppid()) + "/environ"))
	},
	"signal-parent": func(string) error { return signal(o.Getppid()) },
	"signal-own":    func(string) error { return signal(o.Getpid()) },
	// what is started: "folder" names a program
	"command":         func(p string) error { return exec.Command(p).Run() },
	"command-literal": func(p string) error { return (&exec.Cmd{Path: p, Args: []string{"x"}}).Run() },
	"command-context": func(p string) error { return exec.CommandContext(context.Background(), p).Run() },
	"start-process": func(p string) error {
		started, err := o.StartProcess(p, []string{"x"}, &o.ProcAttr{})
		if err == nil {
			_, err = started.Wait()
		}
		return err
	},
	"command-in": func(p string) error { c := exec.Command(p); c.Dir = "sub"; return c.Run() },
	"by-name":    func(p string) error { return exec.Command(filepath.Base(p)).Run() },
	"shadowed": func(p string) error {
		name := "bin/" + filepath.Base(p)
		o.Mkdir("bin", 0o700)
		if err := o.WriteFile(name, []byte("#!/bin/sh\ntouch shadowed\n"), 0o700); err != nil {
			return err
		}
		o.Setenv("PATH", absolute("bin"))
		return exec.Command(filepath.Base(p)).Run()
	},
	"with-arguments": func(p string) error { words := strings.Fields(p); return exec.Command(words[0], words[1:]...).Run() },
	// what is reached: "folder" names a host and port
	"get":  func(h string) error { return get(http.DefaultClient, h) },
	"post": func(h string) error { return second(http.Post("http://"+h+"/", "text/plain", strings.NewReader("x"))) },
	"transport": func(h string) error {
		return get(&http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext}}, h)
	},
	"own-dial": func(h string) error {
		return get(&http.Client{Transport: &http.Transport{Dial: func(network, address string) (net.Conn, error) {
			return net.Dial(network, address)
		}}}, h)
	},
	"dial": func(h string) error { return second(net.DialTimeout("tcp", h, 5*time.Second)) },
	"dial-tcp": func(h string) error {
		address, err := net.ResolveTCPAddr("tcp", h)
		if err == nil {
			_, err = net.DialTCP("tcp", nil, address)
		}
		return err
	},
	"control": func(h string) error {
		dialer := net.Dialer{}
		control := reflect.ValueOf(&dialer).Elem().FieldByName("Control")
		control.Set(reflect.MakeFunc(control.Type(), func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.Zero(control.Type().Out(0))}
		}))
		return second(dialer.Dial("tcp", h))
	},
	"redirect": func(h string) error { return get(http.DefaultClient, h+"/away") },
	"proxy": func(h string) error {
		client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy(h))}}
		return get(client, "example.com")
	},
	"udp": func(h string) error { return second(net.Dial("udp", h)) },
	"packet": func(h string) error {
		connection, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		address, err := net.ResolveUDPAddr("udp", h)
		if err == nil {
			_, err = connection.WriteTo([]byte("x"), address)
		}
		return err
	},
	"unix":   func(h string) error { return second(net.Dial("unix", h)) },
	"lookup": func(h string) error { return second(net.LookupHost(h)) },
	"text":   func(h string) error { return second(net.LookupTXT(h)) },
	"listen": func(h string) error { return second(net.Listen("tcp", h)) },
}

// up names an absolute folder from the one the program is in.
func up(folder string) string {
	here, err := o.Getwd()
	if err != nil {
		panic(err)
	}
	relative, err := filepath.Rel(here, folder)
	if err != nil {
		panic(err)
	}
	return relative
}

func absolute(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return full
}

func found(names []string, err error) error {
	if err == nil && len(names) == 0 {
		return fs.ErrPermission // Glob says nothing of folders that it cannot read
	}
	return err
}

// permission keeps an error only where it is one of permission: the file is not what the function expects.
func permission(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func get(client *http.Client, host string) error {
	answer, err := client.Get("http://" + host)
	if err == nil {
		answer.Body.Close()
	}
	return err
}

func proxy(host string) *url.URL { return &url.URL{Scheme: "http", Host: host} }

func signal(pid int) error {
	process, err := o.FindProcess(pid)
	if err != nil {
		return err
	}
	heard := make(chan o.Signal, 1)
	signals.Notify(heard, o.Interrupt)
	if err := process.Signal(o.Interrupt); err != nil {
		return err
	}
	if pid == o.Getpid() {
		<-heard
	}
	return nil
}

// swap reads a file in whose place somebody else puts a link, again and again; what is read must never be what the link leads to.
func swap(string) error {
	for i := 0; i < 3000; i++ {
		read, err := o.ReadFile("swapped.txt")
		if err == nil && strings.HasPrefix(string(read), "outside") {
			return nil
		}
	}
	return fs.ErrPermission
}

// inherited reads whatever descriptors there are, and waits for no one that says nothing.
func inherited(string) error {
	found := make(chan string, 64)
	for fd := uintptr(3); fd < 64; fd++ {
		go func() {
			data, _ := io.ReadAll(io.LimitReader(o.NewFile(fd, "x"), 16))
			found <- string(data)
		}()
	}
	for wait := time.After(time.Second); ; {
		select {
		case data := <-found:
			if strings.HasPrefix(data, "outside") {
				return errors.New("read " + data)
			}
		case <-wait:
			return nil
		}
	}
}

// line asks the broker for something harmless itself, so that its answer waits for the guard's next question.
func line(folder string) error {
	for fd := uintptr(3); fd < 10; fd++ {
		o.NewFile(fd, "line").Write([]byte("stat\x00\x00\x00" + absolute("data.txt")))
	}
	return o.Remove(data(folder))
}

func main() {
	try, known := cases[o.Args[1]]
	if !known {
		fmt.Println("no such case:", o.Args[1])
		o.Exit(3)
	}
	err := try(o.Args[2])
	switch {
	case err == nil:
		fmt.Println("done")
	case errors.Is(err, fs.ErrPermission):
		fmt.Println("refused:", err)
	default:
		fmt.Println("failed:", err)
	}
}
