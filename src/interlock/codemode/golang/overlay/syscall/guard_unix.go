//go:build unix

package syscall

import "sync/atomic"

const (
	guardSeparator   = '/'
	guardGone        = "(deleted)"     // no path, so no file's: the name that a descriptor was opened by stands for another file now
	guardUnreachable = "(unreachable)" // what Linux puts before a folder that the broker handed over from outside the walls
)

// A guardLine is the descriptor that leads to the broker: one message is one datagram.
type guardLine int

func guardEnvironment() []string { return envs }

// guardForget takes a variable away before the program can see it.
func guardForget(i int, _ string) { envs[i] = "" }

func guardConnect(named string) bool {
	n := guardNumber(named)
	if n < 0 {
		return false
	}
	CloseOnExec(n)
	guardState.line = guardLine(n)
	return n > 2
}

// guardErrno is the error that the broker met when it did what it had allowed.
func guardErrno(number string) error {
	if n := guardNumber(number); n > 0 {
		return Errno(n)
	}
	return EIO
}

func (line guardLine) send(b []byte) bool {
	for {
		n, err := write(int(line), b)
		if err != EINTR {
			return err == nil && n == len(b)
		}
	}
}

// receive takes one message, and the descriptor that came with it or -1.
func (line guardLine) receive() ([]byte, int, bool) {
	b := make([]byte, guardLongest)
	oob := make([]byte, 64)
	for {
		n, oobn, _, _, err := Recvmsg(int(line), b, oob, guardCloseOnExec)
		if err == EINTR {
			continue
		}
		if err != nil || n < 1 {
			return nil, -1, false
		}
		return b[:n], guardPassed(oob[:oobn]), true
	}
}

func guardPassed(oob []byte) int {
	messages, err := ParseSocketControlMessage(oob)
	if err != nil {
		return -1
	}
	for i := range messages {
		if fds, err := ParseUnixRights(&messages[i]); err == nil && len(fds) > 0 {
			for _, surplus := range fds[1:] {
				Close(surplus)
			}
			CloseOnExec(fds[0])
			return fds[0]
		}
	}
	return -1
}

func guardClose(fd int) { Close(fd) }

// guardNetwork names the kind of a socket.
func guardNetwork(fd int) string {
	kind, err := GetsockoptInt(fd, SOL_SOCKET, SO_TYPE)
	switch {
	case err == nil && kind == SOCK_STREAM:
		return "tcp"
	case err == nil && kind == SOCK_DGRAM:
		return "udp"
	}
	return "raw"
}

func guardComplain(text string) { write(2, []byte(text)) }

// guardAbsolute makes a path absolute without looking at links. dirfd: guardHere, or the descriptor of a folder.
func guardAbsolute(dirfd int, path string) (string, error) {
	if len(path) > 0 && path[0] == '/' {
		return path, nil
	}
	folder := ""
	if dirfd == guardHere {
		var room [4096]byte
		n, err := guardWorking(room[:])
		if err != nil || n < 2 {
			return "", EACCES
		}
		folder = string(room[:n-1])
		if guardStarts(folder, guardUnreachable) {
			folder = folder[len(guardUnreachable):]
		}
	} else {
		var ok bool
		if folder, ok = guardBehind(dirfd); !ok {
			return "", EACCES
		}
	}
	if path == "" {
		return folder, nil
	}
	return folder + "/" + path, nil
}

// GuardAt is asked before a call on a path. follow: whether a link at the path's end is followed.
func GuardAt(operation string, dirfd int, path string, follow bool, more ...string) error {
	real, err := guardFound(operation == "stat", dirfd, path, follow)
	if err != nil || real == "" {
		return err
	}
	if operation == "delete" || operation == "rmdir" {
		return guardRemove(operation, path, real)
	}
	return guardAllowed(operation, path, append([]string{real}, more...)...)
}

// guardRemove asks once where the library tries to remove something as a file, and then as a folder.
func guardRemove(operation, path, real string) error {
	if last := guardRemoved.Load(); last != nil && operation == "rmdir" && last.path == real {
		return last.err
	}
	err := guardAllowed(operation, path, real)
	if err != nil {
		guardRemoved.Store(&guardRemoval{real, err})
	}
	return err
}

// A guardRemoval is the last removal that was refused.
type guardRemoval struct {
	path string
	err  error
}

var guardRemoved atomic.Pointer[guardRemoval]

// guardFound resolves a path; "" where nobody has to be asked: it is plain, or the call itself will say what is wrong with it.
func guardFound(reads bool, dirfd int, path string, follow bool) (string, error) {
	if path == "" || guardHasNUL(path) {
		return "", nil
	}
	full, err := guardAbsolute(dirfd, path)
	if err != nil {
		return "", err
	}
	if clean, ok := guardClean(full); ok && guardPlain(reads, clean) && guardStraight(clean, follow) {
		return "", nil
	}
	real, err := guardReal(full, follow)
	if err != nil || real == "" || guardCertain(reads, real) {
		return "", err
	}
	return guardOwnProcess(real), nil
}

// GuardOpen opens a file that may be opened. What is opened is what was judged: no link is followed after the judgement.
func GuardOpen(dirfd int, path string, flags int, mode uint32) (int, error) {
	if path == "" || guardHasNUL(path) {
		return guardRawOpen(dirfd, path, flags, mode)
	}
	full, err := guardAbsolute(dirfd, path)
	if err != nil {
		return -1, err
	}
	reads := flags&(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|guardNameless) == 0
	if clean, ok := guardClean(full); ok && guardPlain(reads, clean) {
		fd, err := guardOpenStraight(clean, flags, mode)
		if err != ELOOP {
			return fd, err
		}
		if flags&O_NOFOLLOW != 0 && guardStraight(clean, false) {
			return fd, err // the link is the last part, and was not to be followed
		}
	}
	real, err := guardReal(full, flags&O_NOFOLLOW == 0 && flags&(O_CREAT|O_EXCL) != O_CREAT|O_EXCL)
	if err != nil {
		return -1, err
	}
	if real == "" {
		fd, err := guardOpenNameless(dirfd, path, flags, mode)
		if err == ELOOP {
			err = guardChanged(path)
		}
		return fd, err
	}
	if !guardCertain(reads, real) {
		fd, err := guardAsk("open", path, guardOwnProcess(real), guardDecimal(flags), guardDecimal(int(mode)))
		if err != nil || fd >= 0 {
			return fd, err
		}
	}
	fd, err := guardOpenStraight(real, flags, mode)
	if err == ELOOP && flags&O_NOFOLLOW == 0 {
		return -1, guardChanged(path)
	}
	return fd, err
}

func guardChanged(path string) error {
	return &guardDenied{"interlock: " + guardQuoted(path) + " changed while it was judged"}
}

// GuardTwo is asked before a call on two paths: "rename", or "link", which gives a file a second name.
func GuardTwo(operation string, dirfd int, path string, newdirfd int, newpath string) error {
	from, err := guardFound(false, dirfd, path, false)
	if err != nil {
		return err
	}
	to, err := guardFound(false, newdirfd, newpath, false)
	if err != nil || from == "" && to == "" {
		return err
	}
	if from, err = guardSurely(from, dirfd, path); err != nil {
		return err
	}
	if to, err = guardSurely(to, newdirfd, newpath); err != nil {
		return err
	}
	return guardAllowed(operation, path+" "+newpath, from, to)
}

// guardSurely resolves what was found plain, where its partner is not.
func guardSurely(found string, dirfd int, path string) (string, error) {
	if found != "" || path == "" {
		return found, nil
	}
	full, err := guardAbsolute(dirfd, path)
	if err != nil {
		return "", err
	}
	return guardReal(full, false)
}

// GuardSymlink is asked before a link is made. Where it leads is judged whenever it is followed.
func GuardSymlink(target string, dirfd int, path string) error {
	real, err := guardFound(false, dirfd, path, false)
	if err != nil || real == "" {
		return err
	}
	return guardAllowed("symlink", path, target, real)
}

// guardProgram finds what a path of a program leads to; a name without a folder is looked for where the kernel does: here.
func guardProgram(argv0, dir string) (string, error) {
	full := argv0
	if len(argv0) == 0 || argv0[0] != '/' {
		if len(dir) > 0 && dir[0] == '/' {
			full = dir + "/" + argv0
		} else {
			if dir != "" {
				full = dir + "/" + argv0
			}
			var err error
			if full, err = guardAbsolute(guardHere, full); err != nil {
				return "", err
			}
		}
	}
	real, err := guardReal(full, true)
	if real == "" {
		real = full
	}
	return real, err
}

func guardUnixPath(name string) string {
	if name == "" || name[0] == '@' || name[0] == 0 {
		return "@" + guardPrintable(name)
	}
	full, err := guardAbsolute(guardHere, name)
	if err != nil {
		return name
	}
	if real, err := guardReal(full, true); err == nil && real != "" {
		return real
	}
	return full
}

func guardPrintable(name string) string {
	var b []byte
	for i := 1; i < len(name); i++ {
		if name[i] > ' ' && name[i] < 0x7f {
			b = append(b, name[i])
		}
	}
	return string(b)
}

// GuardBound tells the broker at which port of this machine the program waits, where it may: only there does it reach itself.
func GuardBound(fd int, sa Sockaddr) error {
	host, port := guardAddress(sa)
	if !guardState.loopback || port == "" || port == "unix" {
		return nil
	}
	bound, err := Getsockname(fd)
	if err != nil {
		return err
	}
	_, port = guardAddress(bound)
	guardWaiting.Store(guardNumber(port), true)
	return guardAllowed("bound", guardJoined(host, port), host, port)
}

// guardFolderOf resolves the folder that a program is to start in.
func guardFolderOf(dir string) (string, error) {
	full, err := guardAbsolute(guardHere, dir)
	if err != nil {
		return "", err
	}
	real, err := guardReal(full, true)
	if real == "" {
		real = full
	}
	return real, err
}

// guardStraight tells whether a clean path has no link in it, the last part apart where that is not followed.
func guardStraight(path string, follow bool) bool {
	if !follow {
		for i := len(path) - 1; i > 0; i-- {
			if path[i] == '/' {
				path = path[:i]
				break
			}
		}
	}
	return guardTouched(path)
}

// guardLooked tells whether a path leads to something without a link, or to what is not there.
func guardLooked(path string) bool {
	fd, err := guardOpenStraight(path, guardTouching, 0)
	if err == nil {
		Close(fd)
	}
	return err == nil || err == ENOENT
}

// guardReal resolves all links of an absolute path. What is not there yet is named below the last folder that is;
// "" where the path leads to something without a name, a pipe that the program already holds.
func guardReal(path string, follow bool) (string, error) {
	whole, rest := path, ""
	if !follow {
		path, rest = guardSplit(path)
	}
	for links := 0; links <= 40; {
		fd, err := guardTouch(path)
		if err == nil {
			real, ok := guardBehind(fd)
			Close(fd)
			if real == guardGone {
				links++
				continue
			}
			if !ok {
				return "", nil
			}
			if real == "/" && rest != "" {
				real = ""
			}
			return real + rest, nil
		}
		if err != ENOENT || path == "/" {
			return "", err
		}
		folder, last := guardSplit(path)
		var room [4096]byte
		if n, e := guardLinked(path, room[:]); e == nil && n > 0 {
			// A link that leads nowhere: what would be made is at its end.
			links++
			path = string(room[:n])
			if path[0] != '/' {
				path = folder + "/" + path
			}
			continue
		}
		if last == "/.." {
			return whole, nil // what it goes back from is not seen from here: the broker resolves it
		}
		path, rest = folder, last+rest
	}
	return "", ELOOP
}

// guardSplit cuts off the last part of an absolute path, with its separator.
func guardSplit(path string) (folder, last string) {
	end := len(path)
	for end > 1 && path[end-1] == '/' {
		end--
	}
	for i := end - 1; i >= 0; i-- {
		if path[i] == '/' {
			if i == 0 {
				return "/", path[:end]
			}
			return path[:i], path[i:end]
		}
	}
	return "/", "/" + path
}
