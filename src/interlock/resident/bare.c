/* What the relay needs of a C library, as calls of the kernel (Linux, x86_64 and aarch64).

   A static program of the GNU C library asks the processor for its kind before it begins, which a virtual
   machine takes its time to answer: two thirds of the whole start. Built with this and without that
   library the relay starts at once. Whoever has another machine builds it with the library that is there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__)) || defined(__ILP32__)
#error "not this machine"
#endif

char **environ;
int main(int count, char **words);

static int number; /* errno(3) */
int *__errno_location(void) { return &number; }

static long ask(long call, long a, long b, long c, long d, long e, long f) { /* syscall(2) */
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result) : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = call;
    register long result __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#endif
    if (result < 0 && result > -4096) {
        number = (int)-result;
        return -1;
    }
    return result;
}

ssize_t read(int at, void *into, size_t size) { return ask(SYS_read, at, (long)into, (long)size, 0, 0, 0); }
ssize_t write(int at, const void *from, size_t size) { return ask(SYS_write, at, (long)from, (long)size, 0, 0, 0); }
int close(int at) { return (int)ask(SYS_close, at, 0, 0, 0, 0, 0); }
off_t lseek(int at, off_t by, int whence) { return ask(SYS_lseek, at, by, whence, 0, 0, 0); }
int fchdir(int at) { return (int)ask(SYS_fchdir, at, 0, 0, 0, 0, 0); }
int fstat(int at, struct stat *found) { return (int)ask(SYS_fstat, at, (long)found, 0, 0, 0, 0); }
uid_t geteuid(void) { return (uid_t)ask(SYS_geteuid, 0, 0, 0, 0, 0, 0); }
int memfd_create(const char *name, unsigned flags) { return (int)ask(SYS_memfd_create, (long)name, flags, 0, 0, 0, 0); }
int dup2(int from, int to) { return from == to ? to : (int)ask(SYS_dup3, from, to, 0, 0, 0, 0); }
int execv(const char *path, char *const *words) { return (int)ask(SYS_execve, (long)path, (long)words, (long)environ, 0, 0, 0); }
int clock_gettime(clockid_t which, struct timespec *at) { return (int)ask(SYS_clock_gettime, which, (long)at, 0, 0, 0, 0); }
int socket(int kind, int type, int protocol) { return (int)ask(SYS_socket, kind, type, protocol, 0, 0, 0); }

int fstatat(int at, const char *path, struct stat *found, int flags) {
    return (int)ask(SYS_newfstatat, at, (long)path, (long)found, flags, 0, 0);
}

int connect(int at, const struct sockaddr *address, socklen_t size) {
    return (int)ask(SYS_connect, at, (long)address, size, 0, 0, 0);
}

int getsockopt(int at, int level, int name, void *into, socklen_t *size) {
    return (int)ask(SYS_getsockopt, at, level, name, (long)into, (long)size, 0);
}

int setsockopt(int at, int level, int name, const void *from, socklen_t size) {
    return (int)ask(SYS_setsockopt, at, level, name, (long)from, size, 0);
}

ssize_t send(int at, const void *from, size_t size, int flags) {
    return ask(SYS_sendto, at, (long)from, (long)size, flags, 0, 0);
}

ssize_t recv(int at, void *into, size_t size, int flags) {
    return ask(SYS_recvfrom, at, (long)into, (long)size, flags, 0, 0);
}

int poll(struct pollfd *some, nfds_t count, int wait) { /* the relay never waits for ever */
    struct timespec until = {wait / 1000, wait % 1000 * 1000000L};
    return (int)ask(SYS_ppoll, (long)some, (long)count, (long)&until, 0, 0, 0);
}

int open(const char *path, int flags, ...) { /* the relay makes no file */
    return (int)ask(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0);
}

int fcntl(int at, int what, ...) {
    va_list rest;
    va_start(rest, what);
    long value = va_arg(rest, int);
    va_end(rest);
    return (int)ask(SYS_fcntl, at, what, value, 0, 0, 0);
}

void _exit(int code) {
    for (;;) ask(SYS_exit_group, code, 0, 0, 0, 0, 0);
}

/* The barrier keeps the compiler from making a call of each of these out of its own loop. */
#define STEP __asm__ volatile("" ::: "memory")

void *memcpy(void *restrict into, const void *restrict from, size_t size) {
    char *to = into;
    for (const char *at = from; size; size--) { *to++ = *at++; STEP; }
    return into;
}

void *memset(void *into, int value, size_t size) {
    for (char *to = into; size; size--) { *to++ = (char)value; STEP; }
    return into;
}

int memcmp(const void *one, const void *other, size_t size) {
    const unsigned char *first = one, *second = other;
    for (; size; size--, first++, second++) { if (*first != *second) return *first - *second; STEP; }
    return 0;
}

void *memchr(const void *in, int value, size_t size) {
    for (const unsigned char *at = in; size; size--, at++) { if (*at == (unsigned char)value) return (void *)at; STEP; }
    return NULL;
}

size_t strlen(const char *text) {
    size_t size = 0;
    for (; text[size]; size++) STEP;
    return size;
}

int strcmp(const char *one, const char *other) {
    for (; *one && *one == *other; one++, other++) STEP;
    return (unsigned char)*one - (unsigned char)*other;
}

char *strcpy(char *restrict into, const char *restrict from) { return memcpy(into, from, strlen(from) + 1); }

__attribute__((noreturn, used)) void begin(long *stack) { /* what the kernel left there: a count, the words, the environment */
    int count = (int)*stack;
    char **words = (char **)(stack + 1);
    environ = words + count + 1;
    _exit(main(count, words));
    __builtin_unreachable();
}

#ifdef __x86_64__
__asm__(".globl _start\n_start: xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#else
__asm__(".globl _start\n_start: mov x29, xzr\n mov x30, xzr\n mov x0, sp\n b begin\n");
#endif
