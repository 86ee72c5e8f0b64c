package interlock

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// opening names what opening a file with flags is, as the broker does.
func opening(flags int) string {
	switch access := flags & (os.O_WRONLY | os.O_RDWR); {
	case access == 0 && flags&(os.O_CREATE|os.O_TRUNC) == 0:
		return "read"
	case flags&os.O_TRUNC == 0 && flags&os.O_APPEND != 0:
		if access == os.O_WRONLY {
			return "append"
		}
		return "update"
	case flags&(os.O_TRUNC|os.O_EXCL) == 0 && access == os.O_RDWR:
		return "update"
	}
	return "write"
}

func open(by, name string, flags int, mode os.FileMode) (*os.File, error) {
	if err := check(opening(flags), by, name, flags&(os.O_CREATE|os.O_EXCL) != os.O_CREATE|os.O_EXCL); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, flags, mode)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return file, err
	}
	// What may be opened and is not there lies outside the kernel's walls, or nowhere: the broker sees which.
	path, e := real(name, true)
	if e != nil {
		return nil, err
	}
	copied, fd, e := told("open", by, name, path, strconv.Itoa(flags|syscall.O_CLOEXEC), strconv.Itoa(int(mode.Perm())))
	if e == nil && copied != "" {
		return os.Open(copied)
	}
	if e != nil || fd < 0 {
		if e == nil || errors.Is(e, fs.ErrPermission) {
			return nil, err
		}
		return nil, failed(by, name, e)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func OpenFile(name string, flags int, mode os.FileMode) (*os.File, error) {
	return open("os.OpenFile", name, flags, mode)
}

func Open(name string) (*os.File, error) { return open("os.Open", name, os.O_RDONLY, 0) }

func Create(name string) (*os.File, error) {
	return open("os.Create", name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func ReadFile(name string) ([]byte, error) {
	file, err := open("os.ReadFile", name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

func WriteFile(name string, data []byte, mode os.FileMode) error {
	file, err := open("os.WriteFile", name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

func ReadDir(name string) ([]os.DirEntry, error) {
	if err := check("list", "os.ReadDir", name, true); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(name)
	if !hidden(err) {
		return entries, err
	}
	path, e := real(name, true)
	if e != nil || reached(path) {
		return entries, err
	}
	copied, _, e := told("open", "os.ReadDir", name, path, strconv.Itoa(syscall.O_DIRECTORY|syscall.O_CLOEXEC), "0")
	if e != nil || copied == "" {
		return entries, err
	}
	return os.ReadDir(copied)
}

func Stat(name string) (os.FileInfo, error) {
	return look("os.Stat", name, true, os.Stat)
}

func Lstat(name string) (os.FileInfo, error) {
	return look("os.Lstat", name, false, os.Lstat)
}

func Readlink(name string) (string, error) {
	if err := check("stat", "os.Readlink", name, false); err != nil {
		return "", err
	}
	return os.Readlink(name)
}

func Remove(name string) error {
	return remove("os.Remove", name, os.Remove)
}

// remove removes a file, or a folder that is empty.
func remove(by, name string, call func(string) error) error {
	err := change("delete", by, name, false, func() error { return call(name) })
	if !errors.Is(err, syscall.EISDIR) {
		return err
	}
	return change("rmdir", by, name, false, func() error { return call(name) }) // the broker removes what it is told to
}

// RemoveAll asks for each thing that it removes; for a tree that the walls hide once, and the broker removes it.
func RemoveAll(name string) error {
	info, err := Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if path, e := real(name, false); walled && err == nil && info.IsDir() && e == nil && !reached(path) {
		_, e = ask("carry", "os.RemoveAll", name, "rmtree", path)
		return failed("os.RemoveAll", name, e)
	}
	if err == nil && info.IsDir() {
		entries, err := ReadDir(name)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := RemoveAll(name + "/" + entry.Name()); err != nil {
				return err
			}
		}
	}
	return remove("os.RemoveAll", name, os.RemoveAll)
}

func Mkdir(name string, mode os.FileMode) error {
	return change("mkdir", "os.Mkdir", name, false, func() error { return os.Mkdir(name, mode) }, strconv.Itoa(bits(mode)))
}

func MkdirAll(name string, mode os.FileMode) error {
	if err := check("mkdir", "os.MkdirAll", name, true); err != nil {
		return err
	}
	if err := os.MkdirAll(name, mode); !hidden(err) {
		return err
	}
	return makeAll(name, mode)
}

// makeAll makes a folder and those above it, each by way of the broker where the walls hide it.
func makeAll(name string, mode os.FileMode) error {
	if info, err := Stat(name); err == nil && info.IsDir() {
		return nil
	}
	if above := filepath.Dir(name); above != name {
		if err := makeAll(above, mode); err != nil {
			return err
		}
	}
	return Mkdir(name, mode)
}

func MkdirTemp(folder, pattern string) (string, error) {
	if err := check("mkdir", "os.MkdirTemp", temporary(folder, pattern), false); err != nil {
		return "", err
	}
	return os.MkdirTemp(folder, pattern)
}

func CreateTemp(folder, pattern string) (*os.File, error) {
	if err := check("write", "os.CreateTemp", temporary(folder, pattern), false); err != nil {
		return nil, err
	}
	return os.CreateTemp(folder, pattern)
}

func temporary(folder, pattern string) string {
	if folder == "" {
		folder = os.TempDir()
	}
	return folder + "/" + strings.ReplaceAll(pattern, "*", "0")
}

func Rename(from, to string) error {
	return changeTwo("rename", "os.Rename", from, to, func() error { return os.Rename(from, to) })
}

func Link(from, to string) error {
	return changeTwo("link", "os.Link", from, to, func() error { return os.Link(from, to) })
}

func Symlink(target, name string) error {
	found, err := real(name, false)
	if err == nil {
		_, err = ask("symlink", "os.Symlink", name, target, found)
	}
	if err != nil {
		return &os.LinkError{Op: "symlink", Old: target, New: name, Err: err}
	}
	if err = os.Symlink(target, name); !hidden(err) {
		return err
	}
	if _, e := ask("carry", "os.Symlink", name, "symlink", target, found); e != nil {
		return &os.LinkError{Op: "symlink", Old: target, New: name, Err: e}
	}
	return nil
}

func Truncate(name string, size int64) error {
	return change("truncate", "os.Truncate", name, true, func() error { return os.Truncate(name, size) }, strconv.FormatInt(size, 10))
}

func Chmod(name string, mode os.FileMode) error {
	return change("chmod", "os.Chmod", name, true, func() error { return os.Chmod(name, mode) }, strconv.Itoa(bits(mode)))
}

func bits(mode os.FileMode) int {
	number := int(mode.Perm())
	if mode&os.ModeSetuid != 0 {
		number |= 0o4000
	}
	if mode&os.ModeSetgid != 0 {
		number |= 0o2000
	}
	return number
}

func Chown(name string, uid, gid int) error {
	return change("chown", "os.Chown", name, true, func() error { return os.Chown(name, uid, gid) })
}

func Lchown(name string, uid, gid int) error {
	return change("chown", "os.Lchown", name, false, func() error { return os.Lchown(name, uid, gid) })
}

func Chtimes(name string, access, modified time.Time) error {
	call := func() error { return os.Chtimes(name, access, modified) }
	return change("utime", "os.Chtimes", name, true, call, nanoseconds(access), nanoseconds(modified))
}

// nanoseconds writes a time as the broker takes it: "" for one that stays as it is.
func nanoseconds(when time.Time) string {
	if when.IsZero() {
		return ""
	}
	return strconv.FormatInt(when.UnixNano(), 10)
}

func Chdir(name string) error {
	if err := check("stat", "os.Chdir", name, true); err != nil {
		return err
	}
	return os.Chdir(name)
}

func EvalSymlinks(path string) (string, error) {
	if err := check("stat", "filepath.EvalSymlinks", path, true); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func Glob(pattern string) ([]string, error) {
	folder := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		folder = filepath.Dir(pattern[:i] + "x")
	}
	if err := check("list", "filepath.Glob", folder, true); err != nil {
		return nil, err
	}
	found, err := filepath.Glob(pattern)
	kept := found[:0]
	for _, name := range found {
		if check("stat", "filepath.Glob", name, false) == nil {
			kept = append(kept, name)
		}
	}
	return kept, err
}

func WalkDir(root string, visit fs.WalkDirFunc) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		refused := error(nil)
		if path == root || err == nil && entry.IsDir() {
			refused = check("list", "filepath.WalkDir", path, false)
		}
		if refused == nil {
			return visit(path, entry, err)
		}
		if err := visit(path, entry, refused); err != nil {
			return err
		}
		return fs.SkipDir
	})
}

func Walk(root string, visit filepath.WalkFunc) error {
	return filepath.Walk(root, func(path string, info fs.FileInfo, err error) error {
		refused := error(nil)
		if path == root || err == nil && info.IsDir() {
			refused = check("list", "filepath.Walk", path, false)
		}
		if refused == nil {
			return visit(path, info, err)
		}
		if err := visit(path, info, refused); err != nil {
			return err
		}
		return fs.SkipDir
	})
}
