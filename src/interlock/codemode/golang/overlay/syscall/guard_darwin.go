package syscall

import "unsafe"

const (
	guardHere        = _AT_FDCWD
	guardNameless    = 0 // macOS has no files without a name
	guardCloseOnExec = 0
	guardNoLinks     = 0x20000000 // O_NOFOLLOW_ANY: no part of a path is a link
	guardTouching    = O_EVTONLY | O_NONBLOCK | O_CLOEXEC
	guardNow         = -1 // UTIME_NOW
	guardOmitted     = -2 // UTIME_OMIT
)

func guardRawOpen(dirfd int, path string, flags int, mode uint32) (int, error) {
	if dirfd == guardHere {
		return guard_Open(path, flags, mode)
	}
	return guard_openat(dirfd, path, flags, mode)
}

// guardOpenNameless opens what has no name, a pipe that the program already holds.
func guardOpenNameless(dirfd int, path string, flags int, mode uint32) (int, error) {
	fd, err := guardRawOpen(dirfd, path, flags&^(O_TRUNC|O_CREAT), mode)
	if err == nil {
		if _, named := guardBehind(fd); named {
			Close(fd)
			return -1, ELOOP
		}
	}
	return fd, err
}

// guardTouch opens a path only to learn what it leads to.
func guardTouch(path string) (int, error) { return guard_Open(path, guardTouching, 0) }

func guardLinked(path string, b []byte) (int, error) { return guard_Readlink(path, b) }

func guardWorking(b []byte) (int, error) {
	if _, err := getcwd(b); err != nil {
		return 0, err
	}
	return clen(b) + 1, nil
}

// guardOpenStraight opens a path that must lead to its file without a link: ELOOP where it does not.
func guardOpenStraight(path string, flags int, mode uint32) (int, error) {
	fd, err := guard_Open(path, flags|guardNoLinks, mode)
	if err != EINVAL {
		return fd, err
	}
	// A system older than O_NOFOLLOW_ANY: the descriptor itself tells where it leads, before the program gets it.
	fd, err = guard_Open(path, flags&^O_TRUNC|O_NOFOLLOW, mode)
	if err != nil {
		return -1, err
	}
	if behind, ok := guardBehind(fd); !ok || behind != path {
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

func guardTouched(path string) bool { return guardLooked(path) }

// guardBehind tells which file a descriptor stands for; not ok where it is no file.
func guardBehind(fd int) (string, bool) {
	var room [1024]byte
	if _, err := fcntlPtr(fd, F_GETPATH, unsafe.Pointer(&room[0])); err != nil || room[0] != '/' {
		return "", false
	}
	return guardStandsFor(string(room[:clen(room[:])])), true
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
	stat.Atimespec, stat.Mtimespec, stat.Ctimespec = NsecToTimespec(numbers[7]), NsecToTimespec(numbers[8]), NsecToTimespec(numbers[9])
	guardPut(&stat.Blksize, numbers[10])
	guardPut(&stat.Blocks, numbers[11])
	guardPut(&stat.Rdev, numbers[12])
	return true
}

func guardOwnProcess(path string) string { return path }

// guardUnusual names what of a process's attributes reaches beyond starting a program.
func guardUnusual(sys *SysProcAttr) string {
	switch {
	case sys.Chroot != "":
		return "chroot"
	case sys.Ptrace:
		return "ptrace"
	case sys.Credential != nil:
		return "another user"
	}
	return ""
}

// guardRoutes tells whether a kind of socket only asks the kernel about interfaces and routes, as package net does.
func guardRoutes(domain int) bool { return domain == AF_ROUTE }

// guardBecome puts a connection in the place of a socket.
func guardBecome(fd, connection int) error {
	err := Dup2(connection, fd)
	Close(connection)
	if err == nil {
		CloseOnExec(fd)
		err = SetNonblock(fd, true)
	}
	return err
}
