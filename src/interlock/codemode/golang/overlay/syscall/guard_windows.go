package syscall

import "unsafe"

const (
	guardSeparator = '\\'
	guardHere      = 0

	guardBackup = 0x02000000 // FILE_FLAG_BACKUP_SEMANTICS: folders can be opened too
	guardItself = 0x00200000 // FILE_FLAG_OPEN_REPARSE_POINT: a link is opened itself
)

// A guardLine is the two ends of pipes that lead to the broker: a message is four bytes of length, then what it says.
type guardLine struct{ in, out Handle }

func guardEnvironment() []string { return Environ() }

// guardForget takes a variable away before the program can see it.
func guardForget(_ int, name string) { Unsetenv(name) }

func guardConnect(named string) bool {
	for i := 0; i < len(named); i++ {
		if named[i] == ',' {
			in, out := guardNumber(named[:i]), guardNumber(named[i+1:])
			guardState.line = guardLine{Handle(in), Handle(out)}
			return in > 0 && out > 0 && SetHandleInformation(Handle(in), HANDLE_FLAG_INHERIT, 0) == nil &&
				SetHandleInformation(Handle(out), HANDLE_FLAG_INHERIT, 0) == nil
		}
	}
	return false
}

func (line guardLine) send(b []byte) bool {
	size := len(b)
	return line.write([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}) && line.write(b)
}

func (line guardLine) write(b []byte) bool {
	for len(b) > 0 {
		var done uint32
		if err := WriteFile(line.out, b, &done, nil); err != nil || done == 0 {
			return false
		}
		b = b[done:]
	}
	return true
}

// receive takes one message. No descriptor comes with it: a handle is a number in the answer, where there is one.
func (line guardLine) receive() ([]byte, int, bool) {
	head := make([]byte, 4)
	if !line.read(head) {
		return nil, -1, false
	}
	size := int(head[0])<<24 | int(head[1])<<16 | int(head[2])<<8 | int(head[3])
	if size < 1 || size > guardLongest {
		return nil, -1, false
	}
	b := make([]byte, size)
	return b, -1, line.read(b)
}

func (line guardLine) read(b []byte) bool {
	for len(b) > 0 {
		var done uint32
		if err := ReadFile(line.in, b, &done, nil); err != nil || done == 0 {
			return false
		}
		b = b[done:]
	}
	return true
}

func guardClose(fd int) { CloseHandle(Handle(fd)) }

func guardComplain(text string) {
	var done uint32
	WriteFile(Stderr, []byte(text), &done, nil)
}

// GuardName is asked before a call on a path.
func GuardName(operation string, name *uint16, follow bool) error {
	path := guardText(name)
	real, err := guardFound(operation == "stat", path, follow)
	if err != nil || real == "" {
		return err
	}
	return guardAllowed(operation, path, real)
}

// GuardNames is asked before a call on two paths.
func GuardNames(operation string, from, to *uint16) error {
	return guardBoth(operation, guardText(from), guardText(to))
}

func guardBoth(operation, from, to string) error {
	first, err := guardFound(false, from, false)
	if err != nil {
		return err
	}
	second, err := guardFound(false, to, false)
	if err != nil || first == "" && second == "" {
		return err
	}
	return guardAllowed(operation, from+" "+to, guardReal(from, false), guardReal(to, false))
}

// GuardSymbolic is asked before a link is made. Where it leads is judged whenever it is followed.
func GuardSymbolic(link, target *uint16) error {
	real, err := guardFound(false, guardText(link), false)
	if err != nil || real == "" {
		return err
	}
	return guardAllowed("symlink", guardText(link), guardText(target), real)
}

// GuardFile is asked before a file is opened.
func GuardFile(name *uint16, access, create, attributes uint32) error {
	const changes = GENERIC_WRITE | GENERIC_ALL | FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES | 0x2 | 0x10000 // the last: FILE_WRITE_DATA, DELETE
	operation := "read"
	switch {
	case access&changes != 0 || create != OPEN_EXISTING:
		operation = "write"
	case access == 0:
		operation = "stat"
	}
	path := guardText(name)
	real, err := guardFound(operation != "write", path, attributes&guardItself == 0)
	if err != nil || real == "" {
		return err
	}
	return guardAllowed(operation, path, real)
}

// GuardAt is asked before a call on a path in a folder that is open.
func GuardAt(operation string, folder Handle, path string, follow bool) error {
	full := guardJoin(folder, path)
	real, err := guardFound(operation == "stat" || operation == "read", full, follow)
	if err != nil || real == "" {
		return err
	}
	return guardAllowed(operation, path, real)
}

// GuardAtTwo is GuardAt for two paths.
func GuardAtTwo(operation string, folder Handle, path string, other Handle, newpath string) error {
	return guardBoth(operation, guardJoin(folder, path), guardJoin(other, newpath))
}

// GuardOpening names what opening a file with flags is.
func GuardOpening(flags uint64) string {
	if flags&uint64(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND) != 0 {
		return "write"
	}
	return "read"
}

func guardJoin(folder Handle, path string) string {
	if folder == 0 || folder == InvalidHandle || len(path) > 1 && (path[0] == '\\' || path[1] == ':') {
		return path
	}
	if behind, ok := guardBehind(folder); ok {
		return behind + "\\" + path
	}
	return path
}

func guardText(name *uint16) string {
	if name == nil {
		return ""
	}
	length := 0
	for p := unsafe.Pointer(name); *(*uint16)(p) != 0; p = unsafe.Add(p, 2) {
		length++
	}
	return UTF16ToString(unsafe.Slice(name, length))
}

// guardFound resolves a path; "" where nobody has to be asked.
func guardFound(reads bool, path string, follow bool) (string, error) {
	if path == "" || guardHasNUL(path) {
		return "", nil
	}
	real := guardReal(path, follow)
	if guardPlain(reads, real) && !guardStreams(real) {
		return "", nil
	}
	return real, nil
}

// guardStreams tells whether a path names a stream of a file, behind a colon that is not the drive's.
func guardStreams(path string) bool {
	for i := 2; i < len(path); i++ {
		if path[i] == ':' {
			return true
		}
	}
	return false
}

// guardReal resolves a path as far as it is there: links, short names, relative parts.
func guardReal(path string, follow bool) string {
	full, err := FullPath(path)
	if err != nil {
		return path
	}
	full = guardShort(full)
	rest := ""
	for again := follow; ; again = true {
		if again {
			if real, ok := guardFinal(full); ok {
				return real + rest
			}
		}
		i := len(full) - 1
		for i > 2 && full[i] != '\\' {
			i--
		}
		if i <= 2 {
			return full + rest
		}
		full, rest = full[:i], full[i:]+rest
	}
}

func guardFinal(path string) (string, bool) {
	name, err := UTF16PtrFromString(path)
	if err != nil {
		return "", false
	}
	h, err := guard_createFile(name, 0, FILE_SHARE_READ|FILE_SHARE_WRITE|4, nil, OPEN_EXISTING, guardBackup, 0)
	if err != nil {
		return "", false
	}
	defer CloseHandle(h)
	return guardBehind(h)
}

// guardBehind tells which file a handle stands for.
func guardBehind(h Handle) (string, bool) {
	room := make([]uint16, 1024)
	n, err := getFinalPathNameByHandle(h, &room[0], uint32(len(room)), 0)
	if err != nil || n == 0 || int(n) > len(room) {
		return "", false
	}
	return guardShort(UTF16ToString(room[:n])), true
}

// guardShort takes off what says that a path is to be taken as it is.
func guardShort(path string) string {
	if guardStarts(path, `\\?\UNC\`) {
		return `\\` + path[8:]
	}
	if guardStarts(path, `\\?\`) {
		return path[4:]
	}
	return path
}

func guardProgram(argv0, dir string) (string, error) {
	if dir != "" && !(len(argv0) > 1 && argv0[1] == ':') {
		argv0 = dir + `\` + argv0
	}
	return guardReal(argv0, true), nil
}

func guardFolderOf(dir string) (string, error) { return guardReal(dir, true), nil }

func guardUnixPath(name string) string { return guardReal(name, true) }

// guardUnusual names what of a process's attributes reaches beyond starting a program.
func guardUnusual(sys *SysProcAttr) string {
	if sys.Token != 0 {
		return "another user"
	}
	if sys.ParentProcess != 0 {
		return "another parent"
	}
	return ""
}

func guardRoutes(int) bool { return false }

func guardNetwork(int) string { return "tcp" }

func guardBecome(int, int) error { return EWINDOWS }

func guardErrno(number string) error {
	if n := guardNumber(number); n > 0 {
		return Errno(n)
	}
	return EIO
}
