/* Starts a program in the place a row of the suite asks for:
 *
 *     stage [WORD...] -- PROGRAM ARGUMENT...
 *
 * private       mounts, System V objects and network of its own
 * init          and is process 1 of a name space of its own
 * user          runs as an ordinary user (65533), with subordinate ids if mounts are private
 * container     as root in a container without extra rights
 * closed        standard streams closed
 * ignore-child  SIGCHLD ignored
 * odd-umask     a file mode mask of 0777
 * few-files     a soft limit of 64 descriptors
 * odd-process   everything that programs inherit and anybody may set back is odd
 * small-group   in a control group of 48 MiB, small-<process>, which stays
 * low-priority  nice, and with lower hard limits */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int mount(const char *, const char *, const char *, unsigned long, const void *);

#define ORDINARY_USER 65533
#define ORDINARY_NAME "joust-ordinary"
#define KEPT_CAPABILITIES 0xa80425fbULL
#define NAME_SPACE_FLAGS 0x7e020080U

static void need(int ok, const char *step)
{
    if (ok)
        return;
    fprintf(stderr, "stage: %s: %s\n", step, strerror(errno));
    _exit(125);
}

static void raise_loopback(void)
{
    struct ifreq request = {.ifr_flags = IFF_UP | IFF_RUNNING};
    strcpy(request.ifr_name, "lo");
    int any = socket(AF_INET, SOCK_DGRAM, 0);
    ioctl(any, SIOCSIFFLAGS, &request);
    close(any);
}

static int is_private;

static void be_private(void)
{
    is_private = 1;
    need(unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET) == 0, "private name spaces");
    need(mount(NULL, "/", NULL, (1 << 14) | (1 << 18), NULL) == 0, "private mounts");
    raise_loopback();
}

static void be_first(void)
{
    need(unshare(CLONE_NEWPID) == 0, "new processes");
    pid_t child = fork();
    if (child != 0) {
        int status;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 124);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    need(mount("none", "/proc", "proc", 0, NULL) == 0, "proc");
}

#define REFUSE(number, error) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static void load_filter(void)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(SYS_unshare, EPERM), REFUSE(SYS_mount, EPERM), REFUSE(SYS_umount2, EPERM), REFUSE(SYS_pivot_root, EPERM),
        REFUSE(SYS_setns, EPERM),
        REFUSE(SYS_bpf, EPERM), REFUSE(SYS_perf_event_open, EPERM), REFUSE(SYS_userfaultfd, EPERM), REFUSE(SYS_fsopen, EPERM),
        REFUSE(SYS_fsconfig, EPERM), REFUSE(SYS_fsmount, EPERM), REFUSE(SYS_fspick, EPERM), REFUSE(SYS_open_tree, EPERM),
        REFUSE(SYS_move_mount, EPERM), REFUSE(SYS_mount_setattr, EPERM), REFUSE(SYS_clone3, ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAME_SPACE_FLAGS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0, "filter");
}

/* The rights a container keeps come from the bounding set at the next exec. */
static void be_contained(void)
{
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    need(syscall(SYS_mount_setattr, AT_FDCWD, "/sys", AT_RECURSIVE, &read_only, sizeof read_only) == 0, "read-only /sys");
    load_filter();
    /* Nothing more can be mounted. */
    is_private = 0;
    for (int i = 0; i < 64; i++)
        if (!(KEPT_CAPABILITIES >> i & 1))
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
}

/* Adds a line to a file of this process's mounts; the host's stays as it is. */
static void add_line(const char *path, const char *line)
{
    char copy[] = "/tmp/joust-stage-XXXXXX", piece[4096];
    int from = open(path, O_RDONLY), to = mkstemp(copy);
    ssize_t read_now;
    need(to >= 0, "copy a file of users");
    while (from >= 0 && (read_now = read(from, piece, sizeof piece)) > 0)
        need(write(to, piece, read_now) == read_now, "copy a file of users");
    need(write(to, line, strlen(line)) == (long)strlen(line) && fchmod(to, 0644) == 0, "add a user");
    need(mount(copy, path, NULL, 1 << 12, NULL) == 0, path);
    unlink(copy);
    close(from);
    close(to);
}

/* A host without these files has no place for them, and its user no subordinate ids. */
static void have_subordinate_ids(void)
{
    if (access("/etc/passwd", F_OK) || access("/etc/subuid", F_OK) || access("/etc/subgid", F_OK))
        return;
    add_line("/etc/passwd", ORDINARY_NAME ":x:65533:65533::/:/bin/sh\n");
    add_line("/etc/subuid", ORDINARY_NAME ":1900000000:65536\n");
    add_line("/etc/subgid", ORDINARY_NAME ":1900000000:65536\n");
}

static void be_ordinary(void)
{
    gid_t group = ORDINARY_USER;
    if (is_private)
        have_subordinate_ids();
    need(setgroups(0, NULL) == 0 && setresgid(group, group, group) == 0, "group");
    need(setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) == 0, "user");
    prctl(PR_SET_DUMPABLE, 1);
}

static void write_file(const char *name, const char *text)
{
    int file = open(name, O_WRONLY);
    need(file >= 0 && write(file, text, strlen(text)) == (long)strlen(text), name);
    close(file);
}

static void lower_limits(int hard_too)
{
    static const struct { int limit; rlim_t value; } limits[] = {
        {RLIMIT_AS, 1L << 40}, {RLIMIT_CORE, RLIM_INFINITY}, {RLIMIT_CPU, 3600}, {RLIMIT_DATA, 1L << 35},
        {RLIMIT_FSIZE, 1L << 33}, {RLIMIT_MEMLOCK, 1 << 20}, {RLIMIT_RSS, 1L << 34}, {RLIMIT_RTTIME, 1000000},
        {RLIMIT_SIGPENDING, 900}, {RLIMIT_STACK, 1 << 20}, {RLIMIT_LOCKS, 1000}, {RLIMIT_NOFILE, 2000},
    };
    struct rlimit limit;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        need(getrlimit(limits[i].limit, &limit) == 0, "limit");
        if (limit.rlim_max < limits[i].value)
            continue;
        limit.rlim_cur = limits[i].value;
        if (hard_too)
            limit.rlim_max = limits[i].value;
        need(setrlimit(limits[i].limit, &limit) == 0, "lower a limit");
    }
}

static void ignore_and_block_signals(void)
{
    sigset_t all;
    for (int i = 1; i < 65; i++)
        if (i != SIGCHLD)
            signal(i, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    raise(SIGUSR1);
}

/* A session keyring with a key, as a login makes one. */
static void have_a_key(void)
{
    const int join_session_keyring = 1, session_keyring = -3;
    syscall(SYS_keyctl, join_session_keyring, "joust-organiser");
    syscall(SYS_add_key, "user", "joust-organiser-key", "x", 1, session_keyring);
}

static void be_odd(void)
{
    struct itimerval hour = {.it_value = {3600, 0}};
    unsigned long node = 1;
    struct sched_param none = {0};
    ignore_and_block_signals();
    umask(0777);
    setitimer(ITIMER_REAL, &hour, NULL);
    setitimer(ITIMER_PROF, &hour, NULL);
    lower_limits(0);
    sched_setscheduler(0, SCHED_BATCH, &none);
    syscall(SYS_ioprio_set, 1, 0, 3 << 13 | 7);
    syscall(SYS_set_mempolicy, 1, &node, 8 * sizeof node);
    personality(ADDR_NO_RANDOMIZE | SHORT_INODE);
    prctl(PR_SET_TIMERSLACK, 1000000);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    write_file("/proc/self/coredump_filter", "0x7f");
    write_file("/proc/self/oom_score_adj", "300");
    have_a_key();
    need(chdir("/usr") == 0, "folder");
    dup2(2, 77);
    setenv("LC_ALL", "tr_TR.UTF-8", 1);
    setenv("LD_BIND_NOW", "1", 1);
}

static void be_low(void)
{
    errno = 0;
    need(nice(2) >= 0 || errno == 0, "nice");
    /* What nobody can raise again would be odd for ever. */
    lower_limits(prctl(PR_CAPBSET_READ, CAP_SYS_RESOURCE, 0, 0, 0) == 1);
}

/* The group of this process in the hierarchy that limits memory. */
static int own_group(char *path, size_t size)
{
    char line[1024], *at;
    int version = 0;
    FILE *table = fopen("/proc/self/cgroup", "r");
    while (table && fgets(line, sizeof line, table)) {
        line[strcspn(line, "\n")] = 0;
        if ((at = strstr(line, ":memory:"))) {
            snprintf(path, size, "/sys/fs/cgroup/memory%s", strcmp(at + 8, "/") ? at + 8 : "");
            version = 1;
        } else if (strncmp(line, "0::", 3) == 0 && version == 0) {
            snprintf(path, size, "/sys/fs/cgroup%s", strcmp(line + 3, "/") ? line + 3 : "");
            version = 2;
        }
    }
    if (table)
        fclose(table);
    return version;
}

static void be_in_small_group(void)
{
    char own[1200] = "", group[1300], file[1400];
    int version = own_group(own, sizeof own);
    need(version != 0, "groups");
    /* In version 2 groups are made where no process is, so beside the own one unless that is the first. */
    if (version == 2) {
        if (strcmp(own, "/sys/fs/cgroup"))
            *strrchr(own, '/') = 0;
        snprintf(file, sizeof file, "%s/cgroup.subtree_control", own);
        write_file(file, "+memory +pids");
    }
    snprintf(group, sizeof group, "%s/small-%d", own, getpid());
    need(mkdir(group, 0755) == 0, group);
    snprintf(file, sizeof file, "%s/%s", group, version == 1 ? "memory.limit_in_bytes" : "memory.max");
    write_file(file, "50331648");
    snprintf(file, sizeof file, "%s/cgroup.procs", group);
    write_file(file, "0");
}

static void prepare(const char *word)
{
    struct rlimit few;
    if (strcmp(word, "private") == 0)
        be_private();
    else if (strcmp(word, "init") == 0)
        be_first();
    else if (strcmp(word, "user") == 0)
        be_ordinary();
    else if (strcmp(word, "container") == 0)
        be_contained();
    else if (strcmp(word, "ignore-child") == 0)
        signal(SIGCHLD, SIG_IGN);
    else if (strcmp(word, "odd-umask") == 0)
        umask(0777);
    else if (strcmp(word, "odd-process") == 0)
        be_odd();
    else if (strcmp(word, "small-group") == 0)
        be_in_small_group();
    else if (strcmp(word, "low-priority") == 0)
        be_low();
    else if (strcmp(word, "closed") == 0)
        for (int i = 0; i < 3; i++)
            close(i);
    else if (strcmp(word, "few-files") == 0 && getrlimit(RLIMIT_NOFILE, &few) == 0) {
        few.rlim_cur = 64;
        setrlimit(RLIMIT_NOFILE, &few);
    } else
        need(0, word);
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at < argc && strcmp(argv[at], "--"); at++)
        prepare(argv[at]);
    need(at + 1 < argc, "arguments");
    execv(argv[at + 1], argv + at + 1);
    need(0, argv[at + 1]);
}
