// Changes outside the walls, as programs make them: carried.go ACT FOLDER prints done, or the error.
package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

var acts = map[string]func(folder string) error{
	"make":       func(folder string) error { return os.WriteFile(folder+"/made", []byte("x"), 0o600) },
	"read":       func(folder string) error { _, err := os.ReadFile(folder + "/data.txt"); return err },
	"mkdir":      func(folder string) error { return os.Mkdir(folder+"/new", 0o700) },
	"mkdir-all":  func(folder string) error { return os.MkdirAll(folder+"/new/deep", 0o700) },
	"remove":     func(folder string) error { return os.Remove(folder + "/data.txt") },
	"rmdir":      func(folder string) error { return os.Remove(folder + "/empty") },
	"remove-all": func(folder string) error { return os.RemoveAll(folder + "/sub") },
	"rename":     func(folder string) error { return os.Rename(folder+"/data.txt", folder+"/moved.txt") },
	"rename-in":  func(folder string) error { return os.Rename("data.txt", folder+"/moved.txt") },
	"link":       func(folder string) error { return os.Link(folder+"/data.txt", folder+"/linked.txt") },
	"symlink":    func(folder string) error { return os.Symlink("data.txt", folder+"/pointer") },
	"truncate":   func(folder string) error { return os.Truncate(folder+"/data.txt", 3) },
	"chmod":      func(folder string) error { return os.Chmod(folder+"/data.txt", 0o600) },
	"chtimes":    func(folder string) error { return os.Chtimes(folder+"/data.txt", time.Time{}, time.Unix(7, 0)) },
	"chown":      func(folder string) error { return os.Chown(folder+"/data.txt", os.Getuid(), os.Getgid()) },
	"list": func(folder string) error {
		entries, err := os.ReadDir(folder)
		if err == nil && len(entries) != 6 {
			return fmt.Errorf("there are %d", len(entries))
		}
		return err
	},
	"fetch":        fetch,
	"fetch-secret": func(url string) error { return after(".env", url) },
	"fetch-plain":  func(url string) error { return after("data.txt", url) },
	"stat": func(folder string) error {
		info, err := os.Lstat(folder + "/data.txt")
		if err == nil && info.Size() != 7 {
			return fmt.Errorf("%s has %d bytes", filepath.Base(folder), info.Size())
		}
		return err
	},
}

func fetch(url string) error {
	answer, err := http.Get(url)
	if err == nil {
		answer.Body.Close()
	}
	return err
}

// after fetches, reads a file, and fetches again.
func after(name, url string) error {
	if err := fetch(url); err != nil {
		return err
	}
	if _, err := os.ReadFile(name); err != nil {
		return err
	}
	return fetch(url)
}

func main() {
	if err := acts[os.Args[1]](os.Args[2]); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("done")
}
