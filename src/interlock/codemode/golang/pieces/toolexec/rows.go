package main

import "strings"

// A mixture is a package some of whose names reach the machine: those become calls that ask. any: a value of it that is harmless.
// What is in neither list is not vouched for.
type mixture struct {
	any   string
	calls map[string]string
	kept  string
}

func (rows mixture) keeps(name string) bool {
	for _, one := range strings.Fields(rows.kept) {
		if one == name || strings.HasSuffix(one, "*") && strings.HasPrefix(name, one[:len(one)-1]) {
			return true
		}
	}
	return false
}

func same(names string) map[string]string {
	rows := map[string]string{}
	for _, name := range strings.Fields(names) {
		rows[name] = name
	}
	return rows
}

var mixtures = map[string]mixture{
	"os": {
		"Args",
		same(`Open Create OpenFile ReadFile WriteFile ReadDir Stat Lstat Readlink Remove RemoveAll Mkdir MkdirAll MkdirTemp CreateTemp Rename Link
			Symlink Truncate Chmod Chown Lchown Chtimes Chdir`),
		`Args Exit Getenv LookupEnv Setenv Unsetenv Environ Clearenv ExpandEnv Expand Get* Hostname TempDir UserHomeDir UserCacheDir UserConfigDir Stdin
			Stdout Stderr Err* Is* Path* DevNull Mode* O_* FileMode FileInfo DirEntry File LinkError SyscallError NewSyscallError Signal Interrupt Kill
			Pipe SameFile Executable ProcessState Process SEEK_*`,
	},
	"os/exec": {"ErrNotFound", same("Command CommandContext Cmd"), "LookPath Err* Error ExitError"},
	"path/filepath": {
		"Separator",
		same("Walk WalkDir Glob EvalSymlinks"),
		"Abs Base Clean Dir Ext FromSlash HasPrefix IsAbs IsLocal Join Localize Match Rel Split SplitList ToSlash VolumeName Separator ListSeparator Skip* WalkFunc Err*",
	},
	"io/ioutil": {
		"Discard",
		map[string]string{"ReadFile": "ReadFile", "WriteFile": "WriteFile", "TempDir": "MkdirTemp", "TempFile": "CreateTemp"},
		"ReadAll Discard NopCloser",
	},
	"net": {
		"ErrClosed",
		map[string]string{"Dial": "Dial", "DialTimeout": "DialTimeout", "LookupHost": "LookupHost", "LookupIP": "LookupIP"},
		`Err* IP IPNet IPMask IPAddr IPv* ParseIP ParseCIDR ParseMAC CIDRMask HardwareAddr SplitHostPort JoinHostPort Conn Addr OpError DNSError AddrError
			Error TCPAddr UDPAddr Pipe Buffers`,
	},
	// the guard's own is the way that every client has unless it is given another, and no other can be made of these names
	"net/http": {
		"StatusOK",
		map[string]string{},
		`Get Post PostForm Head Client DefaultClient Request Response Header NewRequest* Cookie Status* Method* Err* Handler HandlerFunc ResponseWriter
			NewServeMux ServeMux Error NotFound NotFoundHandler Redirect DetectContentType CanonicalHeaderKey MaxBytesReader TimeFormat ParseTime
			RoundTripper SameSite* NoBody SetCookie ParseHTTPVersion ReadResponse ReadRequest`,
	},
}

// pure are the packages that reach nothing, whichever of their names is called; one that ends in a slash stands for all below it.
var pure = strings.Fields(`archive/tar archive/zip bufio bytes cmp compress/ container/ context crypto crypto/aes crypto/cipher crypto/des
	crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/hkdf crypto/hmac crypto/md5 crypto/pbkdf2 crypto/rand crypto/rc4 crypto/rsa crypto/sha1
	crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle embed encoding encoding/ errors flag fmt go/ast go/format go/scanner go/token hash hash/ html
	html/template image image/ index/suffixarray io io/fs iter log log/slog maps math math/ mime mime/multipart mime/quotedprintable net/mail net/netip
	net/textproto net/url os/signal path regexp regexp/syntax runtime slices sort strconv strings structs sync sync/atomic text/ time unicode unicode/
	unique weak github.com/modelcontextprotocol/go-sdk/mcp`)

// exceptions are names of pure packages that do reach files.
var exceptions = set("archive/zip.OpenReader text/template.ParseFiles text/template.ParseGlob html/template.ParseFiles html/template.ParseGlob time.LoadLocation")

// methods reach files whatever they are methods of, so a name alone is enough to doubt.
var methods = set("ParseFiles ParseGlob Chmod Chown Chdir SyscallConn")

// fields that lead another way once they are changed.
var fields = set("Pid SysProcAttr")

// ownTypes are types of the library in whose place stands one of the guard's, or that only its functions may make.
var ownTypes = set("os/exec.Cmd os.Process")

func harmless(path string) bool {
	for _, one := range pure {
		if path == one || strings.HasSuffix(one, "/") && strings.HasPrefix(path, one) {
			return true
		}
	}
	return false
}

// excepted tells whether a pure package has names that do reach files: without the package's name before them they are not seen.
func excepted(path string) bool {
	for name := range exceptions {
		if strings.HasPrefix(name, path+".") {
			return true
		}
	}
	return false
}

func set(names string) map[string]bool {
	made := map[string]bool{}
	for _, name := range strings.Fields(names) {
		made[name] = true
	}
	return made
}
