// Package interlock is what a program's calls of the library lead to where the library itself has no checks: each asks the broker, then calls it.
package interlock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	longest = 1 << 16
	refusal = 126
)

var (
	line   int
	dials  bool     // connections are made by the broker
	walled bool     // there are walls, and the broker does what they do not let through
	held   []string // folders that the walls let the program reach
	turn   sync.Mutex
)

// A denied is what a refused operation returns: errors.Is(err, fs.ErrPermission) holds.
type denied struct{ text string }

func (e *denied) Error() string        { return e.text }
func (e *denied) Is(target error) bool { return target == fs.ErrPermission }

func init() {
	number, err := strconv.Atoi(os.Getenv("INTERLOCK_BROKER"))
	nonce := os.Getenv("INTERLOCK_CANARY")
	if err != nil || number < 3 || nonce == "" {
		abort("this program was built by interlock and runs only under `interlock code`")
	}
	os.Unsetenv("INTERLOCK_BROKER")
	os.Unsetenv("INTERLOCK_CANARY")
	syscall.CloseOnExec(number)
	line = number
	answer, _, err := exchange("hello", "", "", "go")
	if err != nil || len(answer) < 3 || answer[0] != "allow" {
		abort("the broker did not answer")
	}
	var no *denied
	if file, err := OpenFile("/.interlock-canary-"+nonce, os.O_RDONLY, 0); !errors.As(err, &no) {
		if err == nil {
			file.Close()
		}
		abort("the canary was not refused, so the guard is not armed")
	}
	for _, item := range answer[3:] {
		dials = dials || item == "network=dialled"
		walled = walled || strings.HasPrefix(item, "kernel=") && item != "kernel="
		if folder, named := strings.CutPrefix(item, "held="); named {
			held = append(held, folder)
		}
	}
}

func abort(why string) {
	os.Stderr.WriteString("interlock: " + why + "\n")
	os.Exit(refusal)
}

// exchange sends one message and returns the fields of the answer, and the descriptor that came with it or -1.
func exchange(operation, where, by string, arguments ...string) ([]string, int, error) {
	fields := append([]string{operation, where, by}, arguments...)
	for _, field := range arguments {
		if strings.IndexByte(field, 0) >= 0 {
			return nil, -1, syscall.EINVAL
		}
	}
	message := []byte(strings.Join(fields, "\x00"))
	if len(message) > longest {
		return nil, -1, syscall.E2BIG
	}
	turn.Lock()
	defer turn.Unlock()
	if n, err := again(func() (int, error) { return syscall.Write(line, message) }); err != nil || n != len(message) {
		return nil, -1, syscall.EPIPE
	}
	room, beside := make([]byte, longest), make([]byte, 64)
	passed := 0
	n, err := again(func() (n int, err error) {
		n, passed, _, _, err = syscall.Recvmsg(line, room, beside, 0)
		return n, err
	})
	if err != nil || n < 1 {
		return nil, -1, syscall.EPIPE
	}
	return strings.Split(string(room[:n]), "\x00"), descriptor(beside[:passed]), nil
}

func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}

func descriptor(beside []byte) int {
	messages, err := syscall.ParseSocketControlMessage(beside)
	if err != nil {
		return -1
	}
	for i := range messages {
		if found, err := syscall.ParseUnixRights(&messages[i]); err == nil && len(found) > 0 {
			for _, surplus := range found[1:] {
				syscall.Close(surplus)
			}
			syscall.CloseOnExec(found[0])
			return found[0]
		}
	}
	return -1
}

// ask is told for what is answered without a text.
func ask(operation, by, named string, arguments ...string) (int, error) {
	_, fd, err := told(operation, by, named, arguments...)
	return fd, err
}

// told asks for one operation; by is the library's function, named what the program called the thing. A descriptor that comes with the answer is returned, else -1.
func told(operation, by, named string, arguments ...string) (string, int, error) {
	where := position()
	answer, fd, err := exchange(operation, where, by, arguments...)
	rule, why := "guard.no-answer", "the broker did not answer"
	if err == nil && len(answer) >= 3 {
		rule, why = answer[1], answer[2]
		meant := len(answer) >= 5 && answer[3] == operation && answer[4] == arguments[0]
		switch {
		case answer[0] == "allow" && meant:
			return answer[2], fd, nil
		case answer[0] == "error" && meant:
			number, _ := strconv.Atoi(answer[1])
			return "", -1, syscall.Errno(number)
		case answer[0] != "deny":
			rule, why = "guard.wrong-answer", "the broker's answer was meant for something else"
		}
	}
	if fd >= 0 {
		syscall.Close(fd)
	}
	if where == "" {
		where = "in the background"
	}
	return "", -1, &denied{where + ": " + by + "(" + strconv.Quote(named) + ") is refused: " + why + " (rule " + rule + ", layer guard)"}
}

// position is the program's own line from which the library was called. A function of this package that the compiler put into one of the program's
// bears its name, but not its file.
func position() string {
	var room [64]uintptr
	frames := runtime.CallersFrames(room[:runtime.Callers(2, room[:])])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "main.") && filepath.Dir(frame.File) == "program" {
			return filepath.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// real resolves the links of a path as far as it is there; the last part's own link stays where it is not followed.
func real(path string, follow bool) (string, error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = here + "/" + path
	}
	path = strings.TrimRight(path, "/")
	rest, links := "", 0
	for path != "" && links < 40 {
		if follow || rest != "" {
			if found, err := filepath.EvalSymlinks(path); err == nil {
				return filepath.Join(found, rest), nil
			}
		}
		if to, err := os.Readlink(path); err == nil && (follow || rest != "") {
			if !filepath.IsAbs(to) {
				to = filepath.Dir(path) + "/" + to
			}
			path, links = strings.TrimRight(to, "/"), links+1 // it leads to what is not there, or not seen from here
			continue
		}
		i := strings.LastIndexByte(path, '/')
		if path[i+1:] == ".." {
			return path + "/" + rest, nil // what it goes back from is not seen from here: the broker resolves it
		}
		path, rest = path[:i], filepath.Join(path[i+1:], rest)
	}
	if links == 40 {
		return "", syscall.ELOOP
	}
	return "/" + rest, nil
}

// check asks for an operation on a path.
func check(operation, by, path string, follow bool, more ...string) error {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return nil // the call itself says what is wrong with it
	}
	found, err := real(path, follow)
	if err == nil {
		_, err = ask(operation, by, path, append([]string{found}, more...)...)
	}
	return failed(by, path, err)
}

// checkTwo asks for an operation on two names.
func checkTwo(operation, by, from, to string) error {
	first, err := real(from, false)
	second := ""
	if err == nil {
		second, err = real(to, false)
	}
	if err == nil {
		_, err = ask(operation, by, from+" "+to, first, second)
	}
	if err != nil {
		return &os.LinkError{Op: operation, Old: from, New: to, Err: err}
	}
	return nil
}

// hidden tells whether the walls may be why a call failed: they answer that there is nothing, or that it may not be changed.
func hidden(err error) bool {
	return walled && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EXDEV))
}

// reached tells whether the walls let the program reach what is at a real path.
func reached(path string) bool {
	for _, folder := range held {
		if path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

// change asks for a change at a path and has it made: by the call, or by the broker where the walls do not let the call through. What only tells the
// broker how, and is not judged, is left out of the question.
func change(operation, by, path string, follow bool, call func() error, more ...string) error {
	judged := more
	if operation != "chmod" {
		judged = nil
	}
	if err := check(operation, by, path, follow, judged...); err != nil {
		return err
	}
	err := call()
	if !hidden(err) {
		return err
	}
	found, e := real(path, follow)
	if e != nil || operation == "chown" && reached(found) {
		return err
	}
	_, e = ask("carry", by, path, append([]string{operation, found}, more...)...)
	return failed(by, path, e)
}

// changeTwo is change for two names.
func changeTwo(operation, by, from, to string, call func() error) error {
	if err := checkTwo(operation, by, from, to); err != nil {
		return err
	}
	err := call()
	if !hidden(err) {
		return err
	}
	first, e := real(from, false)
	second := ""
	if e == nil {
		second, e = real(to, false)
	}
	if e == nil {
		_, e = ask("carry", by, from+" "+to, operation, first, second)
	}
	if e != nil {
		return &os.LinkError{Op: operation, Old: from, New: to, Err: e}
	}
	return nil
}

// look looks at what is at a path, by way of the broker where the walls hide it.
func look(by, path string, follow bool, call func(string) (os.FileInfo, error)) (os.FileInfo, error) {
	if err := check("stat", by, path, follow); err != nil {
		return nil, err
	}
	info, err := call(path)
	if !hidden(err) {
		return info, err
	}
	found, e := real(path, follow)
	if e != nil || reached(found) {
		return nil, err
	}
	what := "leads"
	if !follow {
		what = "itself"
	}
	text, _, e := told("look", by, path, found, what, "file")
	numbers := strings.Fields(text)
	if e != nil || len(numbers) != 13 {
		return nil, err
	}
	return seen{filepath.Base(path), numbers}, nil
}

// A seen is what the broker tells of a path: mode ino dev nlink uid gid size, three times in nanoseconds, blksize blocks rdev.
type seen struct {
	name    string
	numbers []string
}

func (s seen) at(i int) int64 {
	number, _ := strconv.ParseInt(s.numbers[i], 10, 64)
	return number
}

func (s seen) Name() string       { return s.name }
func (s seen) Size() int64        { return s.at(6) }
func (s seen) ModTime() time.Time { return time.Unix(0, s.at(8)) }
func (s seen) IsDir() bool        { return s.Mode().IsDir() }
func (s seen) Sys() any           { return nil }

func (s seen) Mode() fs.FileMode {
	bits := s.at(0)
	mode := fs.FileMode(bits & 0o777)
	for _, kind := range [...]struct {
		bits int64
		mode fs.FileMode
	}{
		{0o140000, fs.ModeSocket}, {0o120000, fs.ModeSymlink}, {0o060000, fs.ModeDevice}, {0o040000, fs.ModeDir},
		{0o020000, fs.ModeDevice | fs.ModeCharDevice}, {0o010000, fs.ModeNamedPipe},
	} {
		if bits&0o170000 == kind.bits {
			mode |= kind.mode
		}
	}
	for bit, special := range map[int64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if bits&bit != 0 {
			mode |= special
		}
	}
	return mode
}

// failed is an error as the library would return it.
func failed(by, path string, err error) error {
	if err == nil {
		return nil
	}
	name := strings.ToLower(by[strings.LastIndexByte(by, '.')+1:])
	switch name {
	case "openfile", "create", "readfile", "writefile", "readdir":
		name = "open"
	case "command":
		name = "exec"
	}
	return &fs.PathError{Op: name, Path: path, Err: err}
}
