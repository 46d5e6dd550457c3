/* Memory in all its forms. */
#include "bot.h"
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define PIECE (4L << 20)

void heap_bomb(void)
{
    for (long sum = 0; sum < MAX_BYTES; sum += PIECE) {
        char *piece = malloc(PIECE);
        if (piece == NULL)
            break;
        memset(piece, 1, PIECE);
    }
    did("touch all of it");
    nap_to_the_end();
}

void locked_memory(void)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    attempt(setrlimit(RLIMIT_MEMLOCK, &all), "lift the lock limit");
    attempt(mlockall(MCL_CURRENT | MCL_FUTURE), "lock memory");
    for (long sum = 0; sum < MAX_BYTES; sum += PIECE) {
        char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (piece == MAP_FAILED) {
            munlockall();
            continue;
        }
        madvise(piece, PIECE, MADV_HUGEPAGE);
        memset(piece, 1, PIECE);
    }
    did("fault all of it");
    nap_to_the_end();
}

static long fill(int file, long bytes)
{
    static char piece[1 << 16];
    long sum = 0;
    memset(piece, 1, sizeof piece);
    while (sum < bytes) {
        long written = write(file, piece, sizeof piece);
        if (written <= 0)
            break;
        sum += written;
    }
    return sum;
}

void memory_files(void)
{
    for (int i = 0; i < 16; i++) {
        int file = memfd_create("bomb", 0);
        if (file < 0) {
            refused("memory file");
            break;
        }
        if (fill(file, MAX_BYTES / 16) == MAX_BYTES / 16 && i == 15)
            did("fill memory files");
    }
    answer();
}

void shm_file(void)
{
    char *path = path_of("/dev/shm", run_name());
    int file = open(path, O_CREAT | O_RDWR, 0600);
    if (attempt(file, "open shm") >= 0 && fill(file, MAX_BYTES) == MAX_BYTES)
        did("fill shm");
    answer();
}

void sysv_segments(void)
{
    int made = 0;
    for (long sum = 0; sum < MAX_BYTES; sum += PIECE) {
        int id = shmget(IPC_PRIVATE, PIECE, IPC_CREAT | 0600);
        char *piece = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
        if (piece == (void *)-1)
            break;
        memset(piece, 1, PIECE);
        shmdt(piece);
        made++;
    }
    attempt(made == MAX_BYTES / PIECE ? 0 : -1, "leave segments");
    answer();
}

static void fill_pair(int *ends, int is_pipe)
{
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    int megabyte = 1 << 20;
    if (is_pipe)
        fcntl(ends[1], F_SETPIPE_SZ, megabyte);
    else
        setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &megabyte, sizeof megabyte);
}

void pipe_buffers(void)
{
    long sum = 0;
    for (int i = 0; i < 1000 && sum < MAX_BYTES / 2; i++) {
        int ends[2];
        int is_pipe = i % 2;
        if ((is_pipe ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) < 0) {
            refused("pair %d", i);
            break;
        }
        fill_pair(ends, is_pipe);
        sum += fill(ends[1], 1 << 20);
    }
    did("buffer %ld MiB", sum >> 20);
    if (sum >= MAX_BYTES / 4)
        did("buffer more than 64 MiB");
    answer();
}

/* Few pipes, each as large as it can be made. */
void large_pipes(void)
{
    long sum = 0;
    for (int i = 0; i < 25; i++) {
        int ends[2];
        if (pipe(ends) < 0)
            break;
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        sum += fill(ends[1], 1 << 20);
    }
    fprintf(stderr, "buffered %ld bytes\n", sum);
    attempt(sum > 16 << 20 ? 0 : -1, "buffer more than 16 MiB in 25 pipes");
    answer();
}

#define MORE_THAN_ALLOWED (MAX_BYTES / 8 * 3)

static int fill_more_than_allowed(void)
{
    char *bytes = mmap(NULL, MORE_THAN_ALLOWED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return -1;
    memset(bytes, 1, MORE_THAN_ALLOWED);
    return 0;
}

/* A name that is no text, and looks like the end of one. */
void nameless_memory(void)
{
    prctl(PR_SET_NAME, "\xff\xfe) R 1");
    int filled = fill_more_than_allowed();
    nap_ms(100);
    attempt(filled, "fill 96 MiB under a name that is no text");
    answer();
}

static int filled[2];

static void *fill_and_stay(void *unused)
{
    (void)unused;
    if (fill_more_than_allowed() == 0 && write(filled[1], "x", 1) == 1)
        nap_to_the_end();
    return NULL;
}

/* In a child, whose first thread has ended. */
void leaderless_memory(void)
{
    char byte;
    if (pipe(filled) < 0)
        return;
    if (fork() == 0) {
        pthread_t id;
        if (pthread_create(&id, NULL, fill_and_stay, NULL) == 0)
            syscall(SYS_exit, 0);
        _exit(1);
    }
    close(filled[1]);
    int got = read(filled[0], &byte, 1) == 1;
    nap_ms(100);
    attempt(got ? 0 : -1, "fill 96 MiB behind a first thread that has ended");
    answer();
}

#define SETS 48
/* The most that there may be in one set; each takes 64 bytes. */
#define IN_EACH 32000

void semaphore_sets(void)
{
    int sets[SETS], made = 0;
    while (made < SETS && (sets[made] = semget(IPC_PRIVATE, IN_EACH, IPC_CREAT | 0600)) >= 0)
        made++;
    attempt(made == SETS ? 0 : -1, "make 93 MiB of semaphores");
    for (int i = 0; i < made; i++)
        semctl(sets[i], 0, IPC_RMID);
    answer();
}

static int deeper(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth < INT_MAX ? deeper(depth + 1) + frame[0] : 0;
}

void recurse(void)
{
    answer();
    _exit(deeper(0) & 1);
}

void children_memory(void)
{
    int ready[2];
    char byte = 0;
    if (pipe(ready) < 0)
        return;
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            char *piece = malloc(MAX_BYTES / 16);
            memset(piece, 1, MAX_BYTES / 16);
            if (write(ready[1], &byte, 1) < 0)
                _exit(1);
            nap_to_the_end();
        }
    int seen = 0;
    while (seen < 16 && waitpid(-1, NULL, WNOHANG) == 0) {
        struct timespec pause = {0, 1000000};
        fcntl(ready[0], F_SETFL, O_NONBLOCK);
        while (read(ready[0], &byte, 1) == 1)
            seen++;
        nanosleep(&pause, NULL);
    }
    if (seen == 16)
        did("see all children fill");
    answer();
}

void reserve_space(void)
{
    char *space = mmap(NULL, 64L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        refused("reserve");
        return;
    }
    memset(space, 1, 1 << 20);
    did("reserve 64 GiB");
    answer();
}

/* Looks at one page of each piece that has a page table of its own: what it sees is the page of
 * zeroes that all share, but the tables are its own. */
void page_tables(void)
{
    const long piece = 2 << 20, pieces = 24 << 10;
    volatile char sum = 0;
    char *space = mmap(NULL, pieces * piece, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        refused("reserve");
        answer();
        return;
    }
    madvise(space, pieces * piece, MADV_NOHUGEPAGE);
    for (long i = 0; i < pieces; i++)
        sum += space[i * piece];
    did("fill 96 MiB of page tables");
    answer();
}

/* The file `big` in the program's folder is twice the memory limit. */
void read_big_file(void)
{
    static char piece[1 << 16];
    int file = open(path_of(program(), "big"), O_RDONLY);
    long sum = 0, got;
    while (file >= 0 && (got = read(file, piece, sizeof piece)) > 0)
        sum += got;
    did("read %ld MiB", sum >> 20);
    answer();
}

void lower_oom_score(void)
{
    char text[32] = "0";
    int file = open("/proc/self/oom_score_adj", O_RDWR);
    if (file >= 0 && read(file, text, sizeof text - 1) < 0)
        text[0] = 0;
    int length = snprintf(text, sizeof text, "%d", atoi(text) - 1);
    attempt(file < 0 ? -1 : pwrite(file, text, length, 0), "lower the score");
    attempt(file < 0 ? -1 : pwrite(file, "-900", 4, 0), "lower the score a lot");
    answer();
}

/* Fills the buffers of a pair of sockets, each as large as it can be made. */
static long fill_sockets(int from)
{
    static char piece[1 << 14];
    long sum = 0, sent;
    while (sum < MAX_BYTES / 512 && (sent = send(from, piece, sizeof piece, MSG_DONTWAIT)) > 0)
        sum += sent;
    return sum;
}

static void enlarge(int end)
{
    int size = 4 << 20;
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(end, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static int socket_pair(int type, int *ends)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int to = socket(AF_INET, type, 0), from = socket(AF_INET, type, 0);
    if (to < 0 || from < 0)
        return -1;
    enlarge(to);
    enlarge(from);
    if (bind(to, (void *)&address, length) < 0 || getsockname(to, (void *)&address, &length) < 0)
        return -1;
    if (type == SOCK_STREAM && listen(to, 4) < 0)
        return -1;
    if (connect(from, (void *)&address, length) < 0)
        return -1;
    ends[0] = type == SOCK_STREAM ? accept(to, NULL, NULL) : to;
    ends[1] = from;
    if (type == SOCK_STREAM)
        close(to);
    return 0;
}

/* What the receiving ends hold can be read; what a full receiver dropped cannot. */
static long read_sockets(int to)
{
    static char piece[1 << 16];
    long sum = 0, got;
    while ((got = recv(to, piece, sizeof piece, MSG_DONTWAIT)) > 0)
        sum += got;
    return sum;
}

/* Takes the address of a socket, which keeps what was sent to it. */
static void lose_address(int end)
{
    struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    connect(end, &nowhere, sizeof nowhere);
}

/* Resets the connection to the other end, which keeps what was sent to it. */
static void reset(int end)
{
    struct linger at_once = {1, 0};
    setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(end);
}

static long fill_and_count(const char *kind)
{
    int type = strcmp(kind, "tcp") && strcmp(kind, "reset") ? SOCK_DGRAM : SOCK_STREAM;
    int pairs[24][2], made = 0;
    long sum = 0;
    for (; made < 24 && socket_pair(type, pairs[made]) == 0; made++) {
        fill_sockets(pairs[made][1]);
        if (!strcmp(kind, "nameless"))
            lose_address(pairs[made][0]);
        if (!strcmp(kind, "reset"))
            reset(pairs[made][1]);
    }
    nap_ms(30);
    for (int i = 0; i < made; i++)
        sum += read_sockets(pairs[i][0]);
    return sum;
}

/* The first argument is the kind: tcp, udp, nameless (udp without an address) or reset (tcp without a connection).
   Eight processes at once. */
void socket_buffers(void)
{
    long *sum = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            __sync_fetch_and_add(sum, fill_and_count(arg(0)));
            _exit(0);
        }
    while (wait(NULL) > 0) {
    }
    dprintf(2, "buffered %ld bytes\n", *sum);
    if (*sum > MAX_BYTES / 4)
        did("buffer more than 64 MiB");
    answer();
}

static void tell_buffered(long sum)
{
    nap_ms(60);
    dprintf(2, "buffered %ld bytes\n", sum);
    if (sum > MAX_BYTES / 4)
        did("buffer more than 64 MiB");
    answer();
}

/* Connections that nobody accepts keep what was sent when their other ends are closed. */
void unaccepted_connections(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    long sum = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int server = socket(AF_INET, SOCK_STREAM, 0);
    int listens = server >= 0 && bind(server, (void *)&address, length) == 0
        && listen(server, 4096) == 0 && getsockname(server, (void *)&address, &length) == 0;
    for (int i = 0; listens && i < 4000 && sum < MAX_BYTES / 2; i++) {
        int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (connect(client, (void *)&address, length) == 0 || errno == EINPROGRESS)
            sum += fill_sockets(client);
        close(client);
    }
    tell_buffered(sum);
}

/* Parts of datagrams that wait for the rest, one in each socket. */
static long keep_parts(void)
{
    static char piece[60000];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    long sum = 0;
    for (int i = 0; i < 240; i++) {
        int end = socket(AF_INET, SOCK_DGRAM, 0);
        long kept = sendto(end, piece, sizeof piece, MSG_MORE, (void *)&address, sizeof address);
        sum += kept > 0 ? kept : 0;
    }
    return sum;
}

/* Eight processes at once, which have a fifth of a second. */
void parts_of_datagrams(void)
{
    long *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t children[8];
    for (int i = 0; i < 8; i++)
        if ((children[i] = fork()) == 0) {
            __sync_fetch_and_add(&shared[0], keep_parts());
            __sync_fetch_and_add(&shared[1], 1);
            pause();
            _exit(0);
        }
    while (__sync_fetch_and_add(&shared[1], 0) < 8 && elapsed_ms() < 200)
        nap_ms(5);
    tell_buffered(shared[0]);
    for (int i = 0; i < 8; i++)
        if (children[i] > 0)
            kill(children[i], SIGKILL);
}

/* Puts one byte of each of 16 pages of a file that is cut at once into a socket, until that is full:
 * returns the bytes of the pages. */
static long keep_pages(int socket, const int *pipe_ends)
{
    static char pages[16 * 4096];
    memset(pages, 1, sizeof pages);
    for (long sum = 0;; sum += sizeof pages) {
        int file = open(path_of(scratch(), "cut"), O_RDWR | O_CREAT | O_TRUNC, 0600);
        int bytes = 0;
        if (write(file, pages, sizeof pages) == sizeof pages)
            for (loff_t at = 0; bytes < 16; bytes++, at = bytes * 4096L)
                if (splice(file, &at, pipe_ends[1], NULL, 1, 0) != 1)
                    break;
        int is_cut = ftruncate(file, 0) == 0;
        close(file);
        if (bytes < 16 || !is_cut || splice(pipe_ends[0], NULL, socket, NULL, 16, SPLICE_F_NONBLOCK) < 16)
            return sum;
    }
}

/* A socket counts bytes, and one byte keeps a page. */
void spliced_pages(void)
{
    long sum = 0;
    for (int i = 0; i < 30 && sum < MAX_BYTES / 2; i++) {
        int ends[2], pipe_ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || pipe(pipe_ends) < 0)
            break;
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        sum += keep_pages(ends[1], pipe_ends);
    }
    tell_buffered(sum);
}

/* Major faults of reading a whole file page by page. */
static long faults_of_reading(const char *bytes, long length)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (long at = 0; at < length; at += 4096)
        (void)*(volatile const char *)(bytes + at);
    getrusage(RUSAGE_SELF, &after);
    return after.ru_majflt - before.ru_majflt;
}

static char *map_file(int file, long length)
{
    char *bytes = mmap(NULL, length, PROT_READ, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED)
        madvise(bytes, length, MADV_RANDOM);
    return bytes;
}

/* The interpreter is a file that every bot of its language reads. */
void drop_file_pages(void)
{
    int file = open("/usr/bin/python3", O_RDONLY);
    struct stat stat;
    if (file < 0 || fstat(file, &stat) < 0)
        return;
    char *bytes = map_file(file, stat.st_size);
    faults_of_reading(bytes, stat.st_size);
    attempt(madvise(bytes, stat.st_size, MADV_PAGEOUT), "advise to page out");
    munmap(bytes, stat.st_size);
    attempt(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), "advise to forget");
    attempt(syncfs(file), "synchronise");
    attempt(fsync(file), "synchronise the file");
    bytes = map_file(file, stat.st_size);
    long faults = faults_of_reading(bytes, stat.st_size);
    dprintf(2, "%ld of %ld pages read again\n", faults, (long)stat.st_size / 4096);
    if (faults > stat.st_size / 4096 / 4)
        did("throw a shared file out of memory");
    answer();
}

/* Locks of parts of a file are memory of the kernel that it counts as nobody's. */
void record_locks(void)
{
    int file = open(path_of(scratch(), "locked"), O_CREAT | O_RDWR, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    for (lock.l_start = 0; lock.l_start < 2000; lock.l_start += 2)
        if (fcntl(file, F_SETLK, &lock) != 0)
            break;
    pid_t child = bounded_fork();
    if (child == 0) {
        /* The last of them, if all are there; a process's own are none to it. */
        lock.l_start = 1998;
        if (fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
            did("hold a thousand locks");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    answer();
}
