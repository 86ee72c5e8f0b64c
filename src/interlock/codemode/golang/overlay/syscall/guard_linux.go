package syscall

import "unsafe"

const (
	guardHere     = _AT_FDCWD
	guardNameless = 0x400000 // O_TMPFILE's own bit: a file without a name, to be written

	guardCloseOnExec = MSG_CMSG_CLOEXEC
	guardTouching    = guardOPath | O_CLOEXEC
	guardNow         = 0x3fffffff // UTIME_NOW
	guardOmitted     = 0x3ffffffe // UTIME_OMIT

	guardOpenat2   = 437
	guardOPath     = 0x200000
	guardNoLinks   = 0x04 // RESOLVE_NO_SYMLINKS
	guardNoMagic   = 0x02 // RESOLVE_NO_MAGICLINKS
	guardLargefile = 0x8000
)

type guardHow struct{ flags, mode, resolve uint64 }

func guardRawOpen(dirfd int, path string, flags int, mode uint32) (int, error) {
	return guard_openat(dirfd, path, flags, mode)
}

// guardOpenNameless opens what has no name, a pipe that the program already holds: what the path leads to now, whatever it will lead to next.
func guardOpenNameless(dirfd int, path string, flags int, mode uint32) (int, error) {
	held, err := guard_openat(dirfd, path, guardTouching, 0)
	if err != nil {
		return -1, err
	}
	defer Close(held)
	if name, ok := guardBehind(held); ok || name == guardGone {
		return -1, ELOOP
	}
	return guard_openat(guardHere, "/proc/self/fd/"+guardDecimal(held), flags, mode)
}

// guardTouch opens a path only to learn what it leads to.
func guardTouch(path string) (int, error) { return guard_openat(guardHere, path, guardTouching, 0) }

func guardLinked(path string, b []byte) (int, error) { return guard_readlinkat(guardHere, path, b) }

func guardWorking(b []byte) (int, error) { return Getcwd(b) }

// guardOpenStraight opens a path that must lead to its file without a link: ELOOP where it does not.
func guardOpenStraight(path string, flags int, mode uint32) (int, error) {
	p, err := BytePtrFromString(path)
	if err != nil {
		return -1, err
	}
	how := guardHow{flags: uint64(uint32(flags)), resolve: guardNoLinks | guardNoMagic}
	if flags&(O_CREAT|guardNameless) != 0 {
		how.mode = uint64(mode) & 0o7777
	}
	here := guardHere
	r, _, e := Syscall6(guardOpenat2, uintptr(here), uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	switch e {
	case 0:
		return int(r), nil
	case ENOSYS, EPERM:
		return guardOpenVerified(path, flags, mode)
	}
	return -1, e
}

// guardTouched is guardLooked, quickly: nothing is opened, so nothing is waited for, and the scheduler need not know.
func guardTouched(path string) bool {
	var room [512]byte
	if len(path) >= len(room) || guardHasNUL(path) {
		return guardLooked(path)
	}
	copy(room[:], path)
	how := guardHow{flags: guardTouching, resolve: guardNoLinks | guardNoMagic}
	here := guardHere
	fd, _, e := RawSyscall6(guardOpenat2, uintptr(here), uintptr(unsafe.Pointer(&room[0])), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	switch e {
	case 0:
		RawSyscall(SYS_CLOSE, fd, 0, 0)
		return true
	case ENOSYS, EPERM:
		return guardLooked(path)
	}
	return e == ENOENT
}

// guardOpenVerified is for kernels without openat2: the descriptor itself tells where it leads, before the program gets it.
func guardOpenVerified(path string, flags int, mode uint32) (int, error) {
	fd, err := guard_openat(guardHere, path, flags&^O_TRUNC|O_NOFOLLOW, mode)
	if err != nil {
		return -1, err
	}
	behind, ok := guardBehind(fd)
	if !ok || behind != path {
		Close(fd)
		return -1, ELOOP
	}
	if flags&O_TRUNC != 0 {
		if err := Ftruncate(fd, 0); err != nil {
			Close(fd)
			return -1, err
		}
	}
	return fd, nil
}

// guardBehind tells which file a descriptor stands for; not ok where it is none with a name, or is guardGone.
func guardBehind(fd int) (string, bool) {
	var room [4096]byte
	n, err := guard_readlinkat(guardHere, "/proc/self/fd/"+guardDecimal(fd), room[:])
	if err != nil || n == 0 || room[0] != '/' {
		return "", false
	}
	const gone = " (deleted)"
	name := string(room[:n])
	if len(name) > len(gone) && name[len(name)-len(gone):] == gone {
		return guardGone, false
	}
	return guardStandsFor(name), true
}

// guardSeen takes over what the broker tells of a path: mode ino dev nlink uid gid size, three times in nanoseconds, blksize blocks rdev.
func guardSeen(stat *Stat_t, numbers []int64) bool {
	if len(numbers) != 13 {
		return false
	}
	guardPut(&stat.Mode, numbers[0])
	guardPut(&stat.Ino, numbers[1])
	guardPut(&stat.Dev, numbers[2])
	guardPut(&stat.Nlink, numbers[3])
	guardPut(&stat.Uid, numbers[4])
	guardPut(&stat.Gid, numbers[5])
	guardPut(&stat.Size, numbers[6])
	stat.Atim, stat.Mtim, stat.Ctim = NsecToTimespec(numbers[7]), NsecToTimespec(numbers[8]), NsecToTimespec(numbers[9])
	guardPut(&stat.Blksize, numbers[10])
	guardPut(&stat.Blocks, numbers[11])
	guardPut(&stat.Rdev, numbers[12])
	return true
}

// guardOwnProcess names the program's own folder of /proc by the name that says so.
func guardOwnProcess(path string) string {
	own := "/proc/" + guardDecimal(Getpid())
	if len(path) > len(own) && path[:len(own)] == own && path[len(own)] == '/' {
		return "/proc/self" + path[len(own):]
	}
	return path
}

// guardUnusual names what of a process's attributes reaches beyond starting a program.
func guardUnusual(sys *SysProcAttr) string {
	switch {
	case sys.Chroot != "":
		return "chroot"
	case sys.Ptrace:
		return "ptrace"
	case sys.Credential != nil:
		return "another user"
	case sys.Cloneflags != 0 || sys.Unshareflags != 0 || len(sys.AmbientCaps) > 0 || sys.UseCgroupFD:
		return "namespaces or capabilities"
	}
	return ""
}

// guardRoutes tells whether a kind of socket only asks the kernel about interfaces and routes, as package net does.
func guardRoutes(domain int) bool { return domain == AF_NETLINK }

// GuardSignal is GuardKill for a process that is held by a descriptor.
func GuardSignal(pid int, sig Signal) error { return GuardKill(pid, sig) }

// guardBecome puts a connection in the place of a socket.
func guardBecome(fd, connection int) error {
	err := Dup3(connection, fd, O_CLOEXEC)
	Close(connection)
	if err == nil {
		err = SetNonblock(fd, true)
	}
	return err
}
