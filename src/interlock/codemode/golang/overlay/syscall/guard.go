// The part of interlock that lives inside an instrumented program, in the standard library's own package syscall.
// Every choke point of the library asks here first. Plain folders are answered here; everything else is asked of the broker.

package syscall

import (
	"internal/bytealg"
	"internal/oserror"
	"runtime"
	"sync"
)

const (
	guardVariable = "INTERLOCK_BROKER="
	guardNonce    = "INTERLOCK_CANARY="
	guardLongest  = 1 << 16 // bytes of one message; a longer one is refused
	guardRefused  = 126     // the exit status of a program that cannot be guarded
	guardModule   = "program/"
)

// guardState is set once, before any code of the program runs, and only read after that.
var guardState struct {
	line       guardLine
	readable   []string  // folders, each ending in a separator, below which any read is plain
	writable   []string  // the same for reads and writes
	looked     []string  // folders below which the read of a plain name is plain
	edited     []string  // the same for reads and writes
	words      []string  // in lower case: a last name that has one of these in it is not plain
	starts     [256]bool // the letters that a word may begin with
	ends       []string  // the same for its end
	names      []string  // the same for the whole of it
	held       []string  // folders that the walls let the program reach
	copies     string    // the folder of copies of folders, each at NUMBER/ITS/PATH
	walled     bool      // there are walls, and the broker does what they do not let through
	dials      bool      // connections are made by the broker
	loopback   bool      // the program may wait for connections of its own on this machine
	connection sync.Mutex
}

// A guardDenied is what a refused operation returns. It counts as a permission error: errors.Is(err, fs.ErrPermission).
type guardDenied struct{ text string }

func (e *guardDenied) Error() string        { return e.text }
func (e *guardDenied) Is(target error) bool { return target == oserror.ErrPermission }
func (e *guardDenied) Timeout() bool        { return false }
func (e *guardDenied) Temporary() bool      { return false }

func init() {
	line, nonce := "", ""
	for i, s := range guardEnvironment() {
		switch {
		case guardStarts(s, guardVariable):
			line = s[len(guardVariable):]
			guardForget(i, guardVariable[:len(guardVariable)-1])
		case guardStarts(s, guardNonce):
			nonce = s[len(guardNonce):]
			guardForget(i, guardNonce[:len(guardNonce)-1])
		}
	}
	if line == "" || nonce == "" {
		guardAbort("this program was built by interlock and runs only under `interlock code`")
	}
	if !guardConnect(line) {
		guardAbort("the broker's descriptor could not be used: " + line)
	}
	answer, _, err := guardExchange("hello", "", "", []string{"go"})
	if err != nil || len(answer) < 3 || answer[0] != "allow" {
		guardAbort("the broker did not answer")
	}
	canary := "/.interlock-canary-" + nonce
	if fd, err := Open(canary, O_RDONLY|O_CLOEXEC, 0); !guardIsDenied(err) {
		if err == nil {
			Close(fd)
		}
		guardAbort("the canary was not refused, so the guard is not armed")
	}
	for _, item := range answer[3:] {
		guardConfigure(item)
	}
}

// guardConfigure takes one KEY=VALUE of the broker's greeting. What is not known makes nothing plain.
func guardConfigure(item string) {
	i := 0
	for i < len(item) && item[i] != '=' {
		i++
	}
	if i+1 >= len(item) {
		return
	}
	value := item[i+1:]
	switch item[:i] {
	case "read":
		guardState.readable = append(guardState.readable, guardFolder(value))
	case "write":
		guardState.writable = append(guardState.writable, guardFolder(value))
		guardState.readable = append(guardState.readable, guardFolder(value))
	case "look":
		guardState.looked = append(guardState.looked, guardFolder(value))
	case "edit":
		guardState.edited = append(guardState.edited, guardFolder(value))
		guardState.looked = append(guardState.looked, guardFolder(value))
	case "held":
		guardState.held = append(guardState.held, guardFolder(value))
	case "copies":
		guardState.copies = guardFolder(value)
	case "kernel":
		guardState.walled = true
	case "network":
		guardState.dials = value == "dialled"
	case "loopback":
		guardState.loopback = value == "yes"
	case "word":
		guardState.words = append(guardState.words, value)
		guardState.starts[value[0]] = true
		guardState.starts[guardUpper(value[0])] = true
	case "end":
		guardState.ends = append(guardState.ends, value)
	case "name":
		guardState.names = append(guardState.names, guardLowered(value))
	}
}

func guardFolder(path string) string {
	if path[len(path)-1] == guardSeparator {
		return path
	}
	return path + string(rune(guardSeparator))
}

func guardStarts(s, start string) bool { return len(s) > len(start) && s[:len(start)] == start }

// GuardRefused tells whether an error is a refusal, as os.IsPermission asks it: errors.Is asks the error itself.
func GuardRefused(err, target error) bool {
	return target == oserror.ErrPermission && guardIsDenied(err)
}

func guardIsDenied(err error) bool {
	denied, ok := err.(*guardDenied)
	return ok && denied != nil
}

// guardClean makes an absolute path lexically clean. It is not ok where the path has a "..": what that means, links decide.
func guardClean(path string) (clean string, ok bool) {
	dirty := false
	for i := 0; i < len(path); {
		// path[i] is a separator
		j := i + 1
		for j < len(path) && path[j] != '/' {
			j++
		}
		part := path[i+1 : j]
		if part == ".." {
			return "", false
		}
		if part == "" || part == "." {
			dirty = true
		}
		i = j
	}
	if !dirty {
		return path, true
	}
	b := make([]byte, 0, len(path))
	for i := 0; i < len(path); {
		j := i + 1
		for j < len(path) && path[j] != '/' {
			j++
		}
		if part := path[i+1 : j]; part != "" && part != "." {
			b = append(b, '/')
			b = append(b, part...)
		}
		i = j
	}
	if len(b) == 0 {
		return "/", true
	}
	return string(b), true
}

// guardPlain tells whether the program may answer for a real path by itself.
func guardPlain(reads bool, path string) bool {
	whole, named := guardState.writable, guardState.edited
	if reads {
		whole, named = guardState.readable, guardState.looked
	}
	for _, root := range whole {
		if guardBelow(path, root) || reads && len(path) == len(root)-1 && path == root[:len(path)] {
			return true
		}
	}
	for _, root := range named {
		if guardBelow(path, root) {
			return !guardNotable(path[len(root)-1:])
		}
		if len(path) == len(root)-1 && path == root[:len(path)] {
			return reads // the folder itself: to be listed, not to be removed
		}
	}
	return false
}

// guardCertain is guardPlain for what was resolved as far as it could be.
func guardCertain(reads bool, path string) bool {
	_, ok := guardClean(path)
	return ok && guardPlain(reads, path)
}

// guardHeld tells whether the walls let the program reach what is at a real path.
func guardHeld(path string) bool {
	for _, root := range guardState.held {
		if guardBelow(path, root) || len(path) == len(root)-1 && path == root[:len(path)] {
			return true
		}
	}
	return false
}

func guardBelow(path, root string) bool { return len(path) > len(root) && path[:len(root)] == root }

// guardNotable tells whether a path below a plain folder has a part that starts with a dot, or a last name to be asked about.
func guardNotable(rest string) bool {
	last := 0
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		if c == guardSeparator {
			last = i + 1
			if last < len(rest) && rest[last] == '.' {
				return true
			}
		}
		if c >= 0x80 || (c == '~' || c == ':') && guardSeparator != '/' {
			return true
		}
	}
	name := rest[last:]
	for i := 0; i < len(name); i++ {
		if guardState.starts[name[i]] && guardBegins(name[i:]) {
			return true
		}
	}
	for _, w := range guardState.ends {
		if len(name) >= len(w) && guardSame(name[len(name)-len(w):], w) {
			return true
		}
	}
	for _, w := range guardState.names {
		if len(name) == len(w) && guardSame(name, w) {
			return true
		}
	}
	return false
}

func guardBegins(name string) bool {
	for _, w := range guardState.words {
		if len(w) <= len(name) && guardSame(name[:len(w)], w) {
			return true
		}
	}
	return false
}

func guardSame(text, lower string) bool {
	for i := 0; i < len(text); i++ {
		if guardLower(text[i]) != lower[i] {
			return false
		}
	}
	return true
}

func guardLowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = guardLower(c)
	}
	return string(b)
}

func guardLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func guardUpper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// guardAsk asks the broker for one operation on things that are resolved; named is how the program named them.
// A descriptor that comes with the answer is returned, else -1.
func guardAsk(operation, named string, arguments ...string) (int, error) {
	_, fd, err := guardTold(operation, named, arguments...)
	return fd, err
}

// guardTold is guardAsk for what is answered with a text.
func guardTold(operation, named string, arguments ...string) (string, int, error) {
	function, where := guardCaller()
	answer, fd, err := guardExchange(operation, where, function, arguments)
	rule, why := "guard.no-answer", "the broker did not answer"
	if err == nil && len(answer) >= 3 {
		rule, why = answer[1], answer[2]
		meant := len(answer) >= 5 && answer[3] == operation && answer[4] == arguments[0] // or somebody else wrote into the line
		if answer[0] == "allow" && meant {
			return answer[2], fd, nil
		}
		if answer[0] == "error" && meant {
			return "", -1, guardErrno(answer[1])
		}
		if answer[0] != "deny" {
			rule, why = "guard.wrong-answer", "the broker's answer was meant for something else"
		}
	}
	if fd >= 0 {
		guardClose(fd)
	}
	if where == "" {
		where = "in the background"
	}
	return "", -1, &guardDenied{where + ": " + function + "(" + guardQuoted(named) + ") is refused: " + why + " (rule " + rule + ", layer guard)"}
}

func guardAllowed(operation, named string, arguments ...string) error {
	fd, err := guardAsk(operation, named, arguments...)
	if fd >= 0 {
		guardClose(fd)
	}
	return err
}

func guardQuoted(s string) string {
	b := []byte{'"'}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		if c < ' ' || c == 0x7f {
			c = '?'
		}
		b = append(b, c)
	}
	return string(append(b, '"'))
}

// guardCaller names the library's function that the program called, and the program's own line.
func guardCaller() (operation, where string) {
	var room [64]uintptr
	n := runtime.Callers(2, room[:])
	frames := runtime.CallersFrames(room[:n])
	for {
		frame, more := frames.Next()
		if guardOwn(frame) {
			return operation, guardPosition(frame)
		}
		if !guardHidden(frame.Function) {
			operation = frame.Function
		}
		if !more {
			return operation, ""
		}
	}
}

func guardHidden(function string) bool {
	const hidden = "syscall.guard"
	const exported = "syscall.Guard"
	if len(function) < len(hidden) {
		return function == ""
	}
	start := function[:len(hidden)]
	return start == hidden || start == exported || function == "runtime.goexit"
}

// guardOwn tells whether a frame is of the program itself. A library's function that the compiler put into one of the program's bears its name,
// but not its file.
func guardOwn(frame runtime.Frame) bool {
	return guardStarts(frame.Function, "main.") && guardStarts(frame.File, guardModule)
}

func guardPosition(frame runtime.Frame) string {
	file := frame.File
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' || file[i] == '\\' {
			file = file[i+1:]
			break
		}
	}
	return file + ":" + guardDecimal(frame.Line)
}

func guardNumber(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || n > 1<<20 {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func guardDecimal(n int) string {
	if n < 0 {
		return "-" + guardDecimal(-n)
	}
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		n /= 10
		if n == 0 {
			return string(b[i:])
		}
	}
}

// guardExchange sends one message and returns the fields of the answer, and the descriptor that came with it or -1.
func guardExchange(operation, where, by string, arguments []string) ([]string, int, error) {
	b := make([]byte, 0, 256)
	b = append(b, operation...)
	b = append(b, 0)
	b = append(b, where...)
	b = append(b, 0)
	b = append(b, by...)
	for _, f := range arguments {
		if guardHasNUL(f) {
			return nil, -1, EINVAL
		}
		b = append(b, 0)
		b = append(b, f...)
	}
	if len(b) > guardLongest {
		return nil, -1, E2BIG
	}
	guardState.connection.Lock()
	defer guardState.connection.Unlock()
	if !guardState.line.send(b) {
		return nil, -1, EPIPE
	}
	answer, fd, ok := guardState.line.receive()
	if !ok {
		return nil, -1, EPIPE
	}
	var parts []string
	start := 0
	for i := 0; i <= len(answer); i++ {
		if i == len(answer) || answer[i] == 0 {
			parts = append(parts, string(answer[start:i]))
			start = i + 1
		}
	}
	return parts, fd, nil
}

func guardHasNUL(s string) bool { return bytealg.IndexByteString(s, 0) >= 0 }

func guardAbort(why string) {
	guardComplain("interlock: " + why + "\n")
	Exit(guardRefused)
}

// -- what the rows of the instrumentation call beyond paths ------------------------------------------

// GuardExec is asked before a program is started.
func GuardExec(argv0 string, argv []string, attr *ProcAttr) error {
	dir := ""
	if attr != nil {
		dir = attr.Dir
		if attr.Sys != nil {
			if what := guardUnusual(attr.Sys); what != "" {
				if err := GuardSystem(what); err != nil {
					return err
				}
			}
		}
	}
	target, err := guardProgram(argv0, dir)
	if err != nil {
		return err
	}
	if dir == "" {
		return guardAllowed("exec", argv0, append([]string{target}, argv...)...)
	}
	folder, err := guardFolderOf(dir)
	if err != nil {
		return err
	}
	return guardAllowed("exec-in", argv0, append([]string{folder, target}, argv...)...)
}

// GuardBorn notes a process that the program started, which it may end without asking.
func GuardBorn(pid int, err error) {
	if err == nil {
		guardChildren.Store(pid, true)
	}
}

var guardChildren, guardReached, guardWaiting sync.Map

// GuardKill is asked before a signal is sent. One to itself or to its own child, and one that only asks whether somebody is there, is the program's own affair.
func GuardKill(pid int, sig Signal) error {
	if sig == 0 || pid == Getpid() {
		return nil
	}
	if _, own := guardChildren.Load(pid); own {
		return nil
	}
	return guardAllowed("kill", guardDecimal(pid), guardDecimal(pid), guardDecimal(int(sig)))
}

// GuardSystem is asked before a call that changes the machine itself.
func GuardSystem(what string) error { return guardAllowed("control", what, what) }

// GuardSocket is asked before a socket is used to reach ("connect") or to be reached from ("bind") an address.
func GuardSocket(operation string, fd int, sa Sockaddr) error {
	host, port := guardAddress(sa)
	switch port {
	case "":
		return nil
	case "unix":
		return guardAllowed(operation, host, "unix", guardUnixPath(host), "")
	}
	return guardAllowed(operation, guardJoined(host, port), guardNetwork(fd), host, port)
}

// GuardSocketAt is GuardSocket for an address that is written out, before there is a socket.
func GuardSocketAt(operation, network, host, port string) error {
	return guardAllowed(operation, guardJoined(host, port), network, host, port)
}

// GuardConnect is asked before a socket is connected. Done: the broker has connected it.
func GuardConnect(fd int, sa Sockaddr) (done bool, err error) {
	host, port := guardAddress(sa)
	if !guardState.dials || port == "" || port == "unix" || guardNetwork(fd) != "tcp" || GuardWaits(host, guardNumber(port)) {
		return false, GuardSocket("connect", fd, sa)
	}
	connected, err := guardAsk("dial", guardJoined(host, port), host, port)
	if err != nil || connected < 0 {
		return false, err
	}
	return true, guardBecome(fd, connected)
}

// GuardWaits tells whether the program itself waits at a port of this machine.
func GuardWaits(host string, port int) bool {
	_, waits := guardWaiting.Load(port)
	return waits && (host == "localhost" || host == "::1" || guardStarts(host, "127.") && guardIsAddress(host))
}

// GuardDials tells whether connections are made by the broker.
func GuardDials() bool { return guardState.dials }

// GuardDial has the broker connect to a host, and returns the connection.
func GuardDial(host string, port int) (int, error) {
	number := guardDecimal(port)
	fd, err := guardAsk("dial", guardJoined(host, number), host, number)
	if err == nil && fd < 0 {
		err = EIO
	}
	return fd, err
}

// GuardPacket is asked before a packet is sent to an address; once for each address.
func GuardPacket(fd int, sa Sockaddr) error {
	host, port := guardAddress(sa)
	if _, known := guardReached.Load(host + " " + port); known {
		return nil
	}
	err := GuardSocket("connect", fd, sa)
	if err == nil {
		guardReached.Store(host+" "+port, true)
	}
	return err
}

// GuardKind is asked before a socket is made that is neither of the internet nor of this machine's own files.
func GuardKind(domain, kind int) error {
	if (domain == AF_INET || domain == AF_INET6) && kind&0xf != SOCK_RAW || domain == AF_UNIX || guardRoutes(domain) {
		return nil
	}
	return guardAllowed("control", "a raw socket", "raw socket")
}

// guardAddress takes an address apart; port is "unix" for a file's, "" for none.
func guardAddress(sa Sockaddr) (host, port string) {
	switch sa := sa.(type) {
	case nil:
		return "", ""
	case *SockaddrInet4:
		if sa != nil {
			return guardIPv4(sa.Addr[:]), guardDecimal(sa.Port)
		}
		return "", ""
	case *SockaddrInet6:
		if sa != nil {
			return guardIPv6(sa.Addr), guardDecimal(sa.Port)
		}
		return "", ""
	case *SockaddrUnix:
		return sa.Name, "unix"
	}
	return "raw", "0"
}

func guardJoined(host, port string) string {
	for i := 0; i < len(host); i++ {
		if host[i] == ':' {
			return "[" + host + "]:" + port
		}
	}
	return host + ":" + port
}

func guardIPv4(a []byte) string {
	return guardDecimal(int(a[0])) + "." + guardDecimal(int(a[1])) + "." + guardDecimal(int(a[2])) + "." + guardDecimal(int(a[3]))
}

func guardIPv6(a [16]byte) string {
	const digits = "0123456789abcdef"
	if a == [16]byte{15: 1} {
		return "::1"
	}
	var b []byte
	for i := 0; i < 16; i += 2 {
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, digits[a[i]>>4], digits[a[i]&15], digits[a[i+1]>>4], digits[a[i+1]&15])
	}
	return string(b)
}

// GuardResolve is asked before a name is looked up.
func GuardResolve(name string) error {
	if guardIsAddress(name) {
		return nil // there is nothing to look up
	}
	return guardAllowed("resolve", name, name)
}

// GuardRequest is asked before a request is sent to a host, which may carry its port.
func GuardRequest(scheme, host string) error {
	if host == "" {
		return nil // the library says so itself
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	for i := len(host) - 1; i >= 0 && host[i] != ']'; i-- {
		if host[i] == ':' {
			host, port = host[:i], host[i+1:]
			break
		}
	}
	if host != "" && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	return guardAllowed("connect", scheme+"://"+guardJoined(host, port), "tcp", host, port)
}

// GuardRemoval names what the removal of a file or of a folder is called.
func GuardRemoval(folder bool) string {
	if folder {
		return "rmdir"
	}
	return "delete"
}

// GuardMode writes a file's permissions.
func GuardMode(mode uint32) string { return guardDecimal(int(mode & 0o7777)) }

// guardIsAddress tells whether a host is written as an address: an IPv6 one has a colon, an IPv4 one only digits and dots.
func guardIsAddress(host string) bool {
	digits := true
	for i := 0; i < len(host); i++ {
		if host[i] == ':' {
			return true
		}
		digits = digits && (host[i] == '.' || '0' <= host[i] && host[i] <= '9')
	}
	return digits
}
