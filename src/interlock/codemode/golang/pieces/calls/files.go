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
	fd, e := ask("open", by, name, path, strconv.Itoa(flags|syscall.O_CLOEXEC), strconv.Itoa(int(mode.Perm())))
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
	return os.ReadDir(name)
}

func Stat(name string) (os.FileInfo, error) {
	if err := check("stat", "os.Stat", name, true); err != nil {
		return nil, err
	}
	return os.Stat(name)
}

func Lstat(name string) (os.FileInfo, error) {
	if err := check("stat", "os.Lstat", name, false); err != nil {
		return nil, err
	}
	return os.Lstat(name)
}

func Readlink(name string) (string, error) {
	if err := check("stat", "os.Readlink", name, false); err != nil {
		return "", err
	}
	return os.Readlink(name)
}

func Remove(name string) error {
	if err := check("delete", "os.Remove", name, false); err != nil {
		return err
	}
	return os.Remove(name)
}

// RemoveAll asks for each thing that it removes.
func RemoveAll(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return check("stat", "os.RemoveAll", name, false)
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
	if err := check("delete", "os.RemoveAll", name, false); err != nil {
		return err
	}
	return os.RemoveAll(name)
}

func Mkdir(name string, mode os.FileMode) error {
	if err := check("mkdir", "os.Mkdir", name, false); err != nil {
		return err
	}
	return os.Mkdir(name, mode)
}

func MkdirAll(name string, mode os.FileMode) error {
	if err := check("mkdir", "os.MkdirAll", name, true); err != nil {
		return err
	}
	return os.MkdirAll(name, mode)
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
	if err := checkTwo("rename", "os.Rename", from, to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func Link(from, to string) error {
	if err := checkTwo("link", "os.Link", from, to); err != nil {
		return err
	}
	return os.Link(from, to)
}

func Symlink(target, name string) error {
	found, err := real(name, false)
	if err == nil {
		_, err = ask("symlink", "os.Symlink", name, target, found)
	}
	if err != nil {
		return &os.LinkError{Op: "symlink", Old: target, New: name, Err: err}
	}
	return os.Symlink(target, name)
}

func Truncate(name string, size int64) error {
	if err := check("truncate", "os.Truncate", name, true); err != nil {
		return err
	}
	return os.Truncate(name, size)
}

func Chmod(name string, mode os.FileMode) error {
	if err := check("chmod", "os.Chmod", name, true, strconv.Itoa(bits(mode))); err != nil {
		return err
	}
	return os.Chmod(name, mode)
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
	if err := check("chown", "os.Chown", name, true); err != nil {
		return err
	}
	return os.Chown(name, uid, gid)
}

func Lchown(name string, uid, gid int) error {
	if err := check("chown", "os.Lchown", name, false); err != nil {
		return err
	}
	return os.Lchown(name, uid, gid)
}

func Chtimes(name string, access, change time.Time) error {
	if err := check("utime", "os.Chtimes", name, true); err != nil {
		return err
	}
	return os.Chtimes(name, access, change)
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
