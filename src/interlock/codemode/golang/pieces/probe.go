// The self-test of an instrumented library: what every program may have.
package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

var probes = []probe{
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
}
