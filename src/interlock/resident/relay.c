/* What a client starts for a tool call: hands the event to the resident guard and writes its answer; resident/relay_protocol.py tells what they say.

   relay FOLDER SOCKET PYTHON HOOK CLIENT [MODE]

   Whatever is amiss with the other side (nobody there, silence, nonsense, another user), the hook file is run in this process's place with the same
   input, and the call is judged there. It decides nothing by itself, parses nothing of the event, and holds no more than its buffers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BODY = 256 * 1024, MOST_VARIABLES = 256 * 1024, MOST_ANSWER = 1024 * 1024, MOST_HEAD = 255, BEGUN = 3 };
enum { PATIENCE = 1000, LONGEST = 20000 }; /* milliseconds for a request to be taken, and, at work, for the answer: its own deadline is at 15 */
static const char TAKEN[] = "interlock 1\n";
static char body[MOST_BODY + 1], variables[MOST_VARIABLES], answer[MOST_ANSWER + 64];
extern char **environ;

static int whole(int to, const char *from, size_t size) { /* to a file or a pipe; 0 where all of it went */
    while (size) {
        ssize_t done = write(to, from, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        from += done;
        size -= (size_t)done;
    }
    return 0;
}

static long now(void) { /* milliseconds */
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

static int ready(int connection, short what, long until) {
    struct pollfd one = {.fd = connection, .events = what};
    long left = until - now();
    return left > 0 && poll(&one, 1, (int)left) == 1;
}

static int sent(int to, const char *from, size_t size, long until) { /* to the socket; 0 where all of it went in time */
    while (size) {
        ssize_t done = send(to, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done < 0 && errno == EAGAIN && ready(to, POLLOUT, until)) continue;
        if (done <= 0) return -1;
        from += done;
        size -= (size_t)done;
    }
    return 0;
}

static size_t filled(int from, char *into, size_t most) { /* how many bytes came until the end, or until it is full */
    size_t had = 0;
    while (had < most) {
        ssize_t done = read(from, into + had, most - had);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) break;
        had += (size_t)done;
    }
    return had;
}

static size_t told(int connection, char *into, size_t most, long until) { /* the same of the socket, and until a moment is past */
    size_t had = 0;
    while (had < most && ready(connection, POLLIN, until)) {
        ssize_t done = recv(connection, into + had, most - had, MSG_DONTWAIT);
        if (done < 0 && errno == EAGAIN) continue;
        if (done <= 0) break;
        had += (size_t)done;
    }
    return had;
}

static int ours(const struct stat *found) { return found->st_uid == geteuid() && !(found->st_mode & 077); }

static int connected(const char *folder, const char *name) { /* the resident guard's socket; -1 where it does not listen, or is not this user's */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat found;
    struct ucred peer;
    struct timeval bound = {.tv_sec = PATIENCE / 1000};
    socklen_t size = sizeof peer;
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), at = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), connection = -1;
    if (here < 0 || at < 0 || strlen(name) >= sizeof address.sun_path || fstat(at, &found) || !ours(&found)) goto done;
    if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) || !S_ISSOCK(found.st_mode) || !ours(&found) || fchdir(at)) goto done;
    strcpy(address.sun_path, name); /* from within the folder: a path of a socket has 107 bytes at most */
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) goto back;
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound); /* of connect(2), where its queue is full */
    if (connect(connection, (struct sockaddr *)&address, sizeof address) || getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
        peer.uid != geteuid()) {
        close(connection);
        connection = -1;
    }
back:
    if (fchdir(here)) _exit(126); /* nothing may go on somewhere else */
done:
    if (here >= 0) close(here);
    if (at >= 0) close(at);
    return connection;
}

static ssize_t environment(void) { /* as one block; -1 where there is too much of it */
    size_t used = 0;
    for (char **each = environ; *each; each++) {
        size_t size = strlen(*each) + 1;
        if (size > sizeof variables - used) return -1;
        memcpy(variables + used, *each, size);
        used += size;
    }
    return (ssize_t)used;
}

static size_t put(char *into, size_t most, const char *word) { /* a blank and a word; more than there is room for where it does not fit */
    size_t size = strlen(word) + 1;
    if (size > most) return MOST_HEAD;
    *into = ' ';
    memcpy(into + 1, word, size - 1);
    return size;
}

static const char *shown(size_t number, char *into) { /* in digits, written from the end of 24 bytes */
    into[23] = 0;
    into += 23;
    do *--into = (char)('0' + number % 10);
    while (number /= 10);
    return into;
}

static size_t headed(char *head, char **words, int count, size_t block, size_t size) { /* the first line; 0 where it gets too long */
    char digits[2][24];
    const char *parts[] = {words[5], count > 6 ? words[6] : "-", shown(block, digits[0]), shown(size, digits[1])};
    size_t used = sizeof TAKEN - 2;
    memcpy(head, TAKEN, used);
    for (int each = 0; each < 4 && used < MOST_HEAD; each++) used += put(head + used, MOST_HEAD - used, parts[each]);
    if (used >= MOST_HEAD) return 0;
    head[used++] = '\n';
    return used;
}

static int answered(int connection, char **words, int count, size_t size) { /* how many bytes of an answer came; -1 for none */
    char head[MOST_HEAD + 1], taken[sizeof TAKEN];
    ssize_t block = environment();
    size_t line = block < 0 ? 0 : headed(head, words, count, (size_t)block, size);
    if (!line) return -1;
    long until = now() + PATIENCE;
    if (sent(connection, head, line, until) || sent(connection, variables, (size_t)block, until) || sent(connection, body, size, until)) return -1;
    if (told(connection, taken, sizeof TAKEN - 1, until) != sizeof TAKEN - 1 || memcmp(taken, TAKEN, sizeof TAKEN - 1)) return -1;
    size_t had = told(connection, answer, sizeof answer - 1, now() + LONGEST);
    return had ? (int)had : -1;
}

static int delivered(int had, int note) { /* write an answer; its exit code, or -1 where it is none */
    char *end = answer + had, *line = memchr(answer, '\n', (size_t)had), *at = answer;
    long numbers[3] = {0};
    if (!line) return -1;
    *line++ = 0;
    for (int each = 0; each < 3; each++) {
        if (*at < '0' || *at > '9') return -1;
        for (; *at >= '0' && *at <= '9' && numbers[each] <= MOST_ANSWER; at++) numbers[each] = 10 * numbers[each] + *at - '0';
        if (*at++ != (each < 2 ? ' ' : 0) || numbers[each] > MOST_ANSWER) return -1;
    }
    if (numbers[0] > 255 || numbers[1] + numbers[2] != end - line) return -1;
    if (whole(1, line, (size_t)numbers[1]) || whole(2, line + numbers[1], (size_t)numbers[2])) return note ? 1 : 2;
    return (int)numbers[0];
}

static int handed_on(char **words, int count, size_t size) { /* run the hook file with the same input; returns only where that cannot be */
    int begun = size > MOST_BODY, kept = memfd_create("event", MFD_CLOEXEC);
    char *hook[] = {words[3], "-I", "-S", words[4], words[5], count > 6 ? words[6] : "-", "direct", begun ? "begun" : NULL, NULL};
    if (kept < 0 || whole(kept, body, size) || lseek(kept, 0, SEEK_SET)) return 126;
    if (kept == BEGUN && begun ? fcntl(kept, F_SETFD, 0) < 0 : dup2(kept, begun ? BEGUN : 0) < 0) return 126; /* the rest is still to be read */
    execv(words[3], hook);
    return 127;
}

int main(int count, char **words) {
    if (count < 6 || count > 7) return 126;
    size_t size = filled(0, body, sizeof body);
    if (size <= MOST_BODY) {
        int connection = connected(words[1], words[2]);
        int had = connection < 0 ? -1 : answered(connection, words, count, size);
        if (connection >= 0) close(connection);
        int code = had < 0 ? -1 : delivered(had, count > 6 && !strcmp(words[6], "note"));
        if (code >= 0) return code;
    }
    return handed_on(words, count, size);
}
