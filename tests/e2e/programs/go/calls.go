// Cases for programs whose own calls ask: `calls CASE TARGET` prints done, refused or failed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	old "io/ioutil"
	"net"
	"net/http"
	"os"
	o "os"
	"os/exec"
	"path/filepath"
	"time"
)

var remove = os.Remove

type store interface{ put(path string) error }

type disk struct {
	write func(string, []byte, os.FileMode) error
}

func (d disk) put(path string) error { return d.write(path, []byte("x"), 0o600) }

func second[T any](_ T, err error) error { return err }

func request(target string, how func(string) (*http.Response, error)) error {
	answer, err := how("http://" + target + "/")
	if err == nil {
		answer.Body.Close()
	}
	return err
}

func run(command *exec.Cmd) error { return command.Run() }

var cases = map[string]func(t string) error{
	"read":         func(t string) error { return second(os.ReadFile(t + "/data.txt")) },
	"alias":        func(t string) error { return second(o.Open(t + "/data.txt")) },
	"old":          func(t string) error { return second(old.ReadFile(t + "/data.txt")) },
	"method-value": func(t string) error { return remove(t + "/data.txt") },
	"in-a-map": func(t string) error {
		return map[string]func(string) error{"x": os.RemoveAll}["x"](t + "/sub")
	},
	"interface": func(t string) error {
		var s store = disk{os.WriteFile}
		return s.put(t + "/data.txt")
	},
	"goroutine": func(t string) error {
		done := make(chan error)
		go func() { done <- os.Truncate(t+"/data.txt", 0) }()
		return <-done
	},
	"deferred": func(t string) (err error) {
		defer func() { err = os.Chmod(t+"/data.txt", 0o600) }()
		return nil
	},
	"append": func(t string) error {
		f, err := os.OpenFile(t+"/data.txt", os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			err = errors.Join(second(io.WriteString(f, "x")), f.Close())
		}
		return err
	},
	"rename-out": func(t string) error { return os.Rename(t+"/data.txt", "moved.txt") },
	"hard-link":  func(t string) error { return os.Link(t+"/data.txt", "linked.txt") },
	"symlink": func(t string) error {
		if err := os.Symlink(t+"/data.txt", "to.txt"); err != nil {
			return err
		}
		return second(os.ReadFile("to.txt"))
	},
	"dots":      func(t string) error { return second(os.ReadFile(t + "/sub/../data.txt")) },
	"proc-root": func(t string) error { return second(os.ReadFile("/proc/self/root" + t + "/data.txt")) },
	"chdir":     func(t string) error { return errors.Join(os.Chdir(t), second(os.ReadFile("data.txt"))) },
	"list":      func(t string) error { return second(os.ReadDir(t)) },
	"walk": func(t string) error {
		return filepath.WalkDir(t, func(_ string, _ fs.DirEntry, err error) error { return err })
	},
	"old-walk": func(t string) error {
		return filepath.Walk(t, func(_ string, _ fs.FileInfo, err error) error { return err })
	},
	"glob":       func(t string) error { return second(filepath.Glob(t + "/*")) },
	"mkdir":      func(t string) error { return os.MkdirAll(t+"/made/deep", 0o700) },
	"times":      func(t string) error { return os.Chtimes(t+"/data.txt", time.Now(), time.Now()) },
	"temporary":  func(t string) error { return second(os.MkdirTemp(t, "x*")) },
	"command":    func(t string) error { return exec.Command(t).Run() },
	"context":    func(t string) error { return run(exec.CommandContext(context.Background(), t)) },
	"output":     func(t string) error { return second(exec.Command(t).CombinedOutput()) },
	"changed":    func(t string) error { c := exec.Command("/usr/bin/true"); c.Path = t; return c.Run() },
	"get":        func(t string) error { return request(t, http.Get) },
	"client":     func(t string) error { return request(t, (&http.Client{Timeout: time.Minute}).Get) },
	"dial":       func(t string) error { return second(net.Dial("tcp", t)) },
	"with-limit": func(t string) error { return second(net.DialTimeout("tcp", t, time.Minute)) },
}

func main() {
	err := cases[os.Args[1]](os.Args[2])
	switch {
	case err == nil:
		fmt.Println("done")
	case errors.Is(err, fs.ErrPermission):
		fmt.Println("refused:", err)
	default:
		fmt.Println("failed:", err)
	}
}
