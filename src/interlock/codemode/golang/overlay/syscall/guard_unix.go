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
	return guardAllowed(operation, path, append([]string{real}, more...)...)
}

// GuardDo is asked before a change at a path; more is what the change needs besides. Done: the broker made it.
func GuardDo(operation string, dirfd int, path string, follow bool, more ...string) (done bool, err error) {
	real, err := guardFound(false, dirfd, path, follow)
	if err != nil || real == "" {
		return false, err
	}
	if operation == "rmdir" { // the library tries to remove something as a file, and then as a folder: one no is enough
		if last := guardRemoved.Load(); last != nil && last.path == real {
			return false, last.err
		}
	}
	if !guardState.walled && operation != "chmod" {
		more = nil // nothing else is judged by it
	}
	done, err = guardDone(operation, path, append([]string{real}, more...))
	if guardIsDenied(err) && (operation == "delete" || operation == "rmdir") {
		guardRemoved.Store(&guardRemoval{real, err})
	}
	return done, err
}

// guardDone asks for a change. Behind walls, which may not let it through, the broker makes what it allows.
func guardDone(operation, named string, arguments []string) (done bool, err error) {
	if guardState.walled {
		err := guardAllowed("carry", named, append([]string{operation}, arguments...)...)
		return err == nil, err
	}
	return false, guardAllowed(operation, named, arguments...)
}

// GuardAfter is told what came of a change that was allowed and that the broker cannot make: where the walls refused it, another run is needed.
func GuardAfter(operation string, dirfd int, path string, follow bool, came error) error {
	if !guardState.walled || came != EPERM && came != EACCES && came != ENOENT && came != EROFS {
		return came
	}
	real, err := guardFound(false, dirfd, path, follow)
	if err != nil || real == "" || guardHeld(real) {
		return came
	}
	return guardAllowed("carry", path, operation, real)
}

// GuardTree is asked before a whole tree that the walls hide is removed: once, and the broker removes it.
func GuardTree(path string) (done bool, err error) {
	if !guardState.walled || path == "" || path[len(path)-1] == '.' {
		return false, nil
	}
	real, err := guardFound(false, guardHere, path, false)
	if err != nil || real == "" || guardHeld(real) {
		return false, nil // each of its files is asked about when it is removed
	}
	switch err := guardAllowed("carry", path, "rmtree", real); err {
	case nil, ENOENT:
		return true, nil
	case ENOTDIR:
		return false, nil
	default:
		return false, err
	}
}

// GuardLook is asked before it is looked at what is at a path. What the walls hide the broker opens, for that and nothing else.
func GuardLook(dirfd int, path string, follow bool, stat *Stat_t, look func() error) error {
	real, err := guardFound(true, dirfd, path, follow)
	if err != nil {
		return err
	}
	if real != "" {
		if err := guardAllowed("stat", path, real); err != nil {
			return err
		}
	}
	err = look()
	if real == "" || !guardState.walled || guardHeld(real) || err != ENOENT && err != EACCES {
		return err
	}
	what := "leads"
	if !follow {
		what = "itself"
	}
	told, _, e := guardTold("look", path, real, what, "file")
	if e != nil || !guardSeen(stat, guardNumbers(told)) {
		return err
	}
	return nil
}

// guardNumbers reads numbers between blanks.
func guardNumbers(text string) (numbers []int64) {
	for i := 0; i < len(text); i++ {
		if i == 0 || text[i-1] == ' ' {
			numbers = append(numbers, 0)
		}
		if last := len(numbers) - 1; text[i] >= '0' && text[i] <= '9' {
			numbers[last] = numbers[last]*10 + int64(text[i]-'0')
		}
	}
	return numbers
}

// guardPut puts a number into a field, whatever its width on this processor.
func guardPut[T uint16 | int32 | uint32 | int64 | uint64](field *T, number int64) { *field = T(number) }

// GuardFd is asked before what a descriptor was opened for is changed: a call that names no path is about one all the same.
func GuardFd(operation string, fd int, more ...string) error {
	path, ok := guardBehind(fd)
	if !ok || guardCertain(false, path) && operation != "chmod" {
		return nil // a pipe, a copy in memory
	}
	return guardAllowed(operation, path, append([]string{guardOwnProcess(path)}, more...)...)
}

// guardStandsFor is the path of what a copy of a folder is a copy of; any other path stands for itself.
func guardStandsFor(path string) string {
	if !guardStarts(path, guardState.copies) || guardState.copies == "" {
		return path
	}
	for i := len(guardState.copies); i < len(path); i++ {
		if path[i] == '/' {
			return path[i:]
		}
	}
	return "/"
}

// GuardTimes writes times as the broker takes them: in nanoseconds, "" for one that stays as it is.
func GuardTimes(times *[2]Timespec) []string {
	written := make([]string, 2)
	for i := range written {
		var now Timeval
		switch {
		case times == nil || int64(times[i].Nsec) == guardNow:
			Gettimeofday(&now)
			written[i] = guardDecimal(int(now.Nano()))
		case int64(times[i].Nsec) != guardOmitted:
			written[i] = guardDecimal(int(times[i].Nano()))
		}
	}
	return written
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
		copied, fd, err := guardTold("open", path, guardOwnProcess(real), guardDecimal(flags), guardDecimal(int(mode)))
		if err != nil || fd >= 0 {
			return fd, err
		}
		if copied != "" {
			return guardRawOpen(guardHere, copied, O_RDONLY|O_DIRECTORY|O_CLOEXEC, 0)
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

// GuardTwo is asked before a call on two paths: "rename", or "link", which gives a file a second name. Done as for GuardDo.
func GuardTwo(operation string, dirfd int, path string, newdirfd int, newpath string) (done bool, err error) {
	from, err := guardFound(false, dirfd, path, false)
	if err != nil {
		return false, err
	}
	to, err := guardFound(false, newdirfd, newpath, false)
	if err != nil || from == "" && to == "" {
		return false, err
	}
	if from, err = guardSurely(from, dirfd, path); err != nil {
		return false, err
	}
	if to, err = guardSurely(to, newdirfd, newpath); err != nil {
		return false, err
	}
	return guardDone(operation, path+" "+newpath, []string{from, to})
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

// GuardSymlink is asked before a link is made. Where it leads is judged whenever it is followed. Done as for GuardDo.
func GuardSymlink(target string, dirfd int, path string) (done bool, err error) {
	real, err := guardFound(false, dirfd, path, false)
	if err != nil || real == "" {
		return false, err
	}
	return guardDone("symlink", path, []string{target, real})
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
