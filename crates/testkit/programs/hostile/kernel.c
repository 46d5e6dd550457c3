/* The surface of the kernel. No call here changes the machine: where one
 * would, its arguments are such that only the right to make it shows. */
#include "bot.h"
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/swap.h>

static void in_child(void (*work)(void))
{
    pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static void new_user(void) { attempt(unshare(CLONE_NEWUSER), "new users"); }
static void new_mounts(void) { attempt(unshare(CLONE_NEWNS), "new mounts"); }
static void new_processes(void) { attempt(unshare(CLONE_NEWPID), "new processes"); }
static void new_network(void) { attempt(unshare(CLONE_NEWNET), "new network"); }
static void new_all(void)
{
    attempt(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS), "new everything");
    attempt(mount("none", scratch(), "tmpfs", 0, ""), "mount in a new name space");
}

static void cloned(void)
{
    struct clone_args how = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &how, sizeof how);
    if (child == 0)
        _exit(0);
    attempt(child, "clone3 into new users");
    child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(0);
    attempt(child, "clone into new users");
}

static void joined(void)
{
    int other = open("/proc/1/ns/mnt", O_RDONLY);
    attempt(setns(other, CLONE_NEWNS), "join mounts of process 1");
}

void nest(void)
{
    in_child(new_user);
    in_child(new_mounts);
    in_child(new_processes);
    in_child(new_network);
    in_child(new_all);
    in_child(cloned);
    in_child(joined);
    attempt(mount("none", scratch(), "tmpfs", 0, ""), "mount in the scratch");
    attempt(syscall(SYS_fsopen, "tmpfs", 0), "open a file system");
    attempt(syscall(SYS_open_tree, AT_FDCWD, "/", 1), "clone a mount");
    answer();
}

static void go_through(const char *link, const char *secret)
{
    attempt(open(path_of(link, secret), O_RDONLY), "go through %s", link);
}

/* The first argument is a secret file of the host. */
void escape_root(void)
{
    char up[300] = "", parent[64];
    int root = open("/", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 40; i++)
        strcat(up, "../");
    char *climb = path_of(up, arg(0));
    go_through("/proc/1/root", arg(0));
    go_through("/proc/1/cwd", climb);
    go_through("/proc/self/root/..", arg(0));
    snprintf(parent, sizeof parent, "/proc/%d/root", getppid());
    go_through(parent, arg(0));
    mkdir(path_of(scratch(), "jail"), 0700);
    attempt(chroot(path_of(scratch(), "jail")), "change the root");
    attempt(openat(root, climb, O_RDONLY), "climb from a descriptor");
    attempt(open(climb, O_RDONLY), "climb from the folder");
    answer();
}

void leave_mounts(void)
{
    char *busy = path_of(scratch(), "busy");
    mkdir(busy, 0700);
    attempt(mount("none", busy, "tmpfs", 0, ""), "mount");
    attempt(mount(scratch(), busy, NULL, MS_BIND, NULL), "bind");
    if (fork() == 0 && chdir(busy) == 0)
        nap_to_the_end();
    answer();
}

void raise_privilege(void)
{
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        did("find set-user-id programs working");
    int before = getuid();
    if (before != 0)
        attempt(setuid(0), "become root");
    attempt(setgid(getgid() + 1), "change its group");
    attempt(setuid(before + 1), "change its user");
    answer();
}

void use_capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};
    syscall(SYS_capget, &header, data);
    if (data[0].effective | data[1].effective | data[0].permitted | data[1].permitted)
        did("have capabilities %x %x", data[1].effective, data[0].effective);
    struct rlimit more = {1 << 19, 1 << 20};
    attempt(setrlimit(RLIMIT_NOFILE, &more), "raise the limit of descriptors");
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    attempt(setrlimit(RLIMIT_NPROC, &all) == 0 && setrlimit(RLIMIT_RTPRIO, &(struct rlimit){9, 9}) == 0 ? 0 : -1, "raise other limits");
    attempt(sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1}), "real time");
    answer();
}

/* getpid is 20 in the 32-bit table and 39 in the 64-bit one. */
static void old_gate(void)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    errno = result < 0 ? (int)-result : 0;
    attempt(result, "call through the 32-bit gate");
}

static void x32(void)
{
    attempt(syscall(0x40000000 | 39), "call by an x32 number");
}

void other_tables(void)
{
    in_child(old_gate);
    in_child(x32);
    answer();
}

static int walked;

static void try_to_open(const char *path, int depth)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)) && walked++ < 3000) {
        char name[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        static const char *harmless[] = {"null", "zero", "full", "random", "urandom", "fd", "stdin", "stdout", "stderr"};
        int skip = 0;
        for (int i = 0; i < 9; i++)
            skip |= strcmp(entry->d_name, harmless[i]) == 0;
        if (entry->d_type == DT_DIR && depth > 0 && !skip)
            try_to_open(name, depth - 1);
        else if (entry->d_type != DT_DIR && !skip && open(name, O_WRONLY | O_NONBLOCK) >= 0)
            did("open %s", name);
    }
    if (folder)
        closedir(folder);
}

void control_files(void)
{
    try_to_open("/sys/fs/cgroup", 3);
    try_to_open("/dev", 1);
    try_to_open("/proc/sys", 2);
    attempt(open("/sys/kernel/uevent_helper", O_WRONLY), "open the event helper");
    attempt(open("/proc/sys/kernel/core_pattern", O_WRONLY), "open the core pattern");
    answer();
}

void forbidden_calls(void)
{
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK};
    attempt(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map), "bpf");
    attempt(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0), "perf");
    attempt(syscall(SYS_userfaultfd, 0), "userfaultfd");
    attempt(syscall(SYS_settimeofday, NULL, NULL), "have the right to set the clock");
    char name[65];
    gethostname(name, sizeof name);
    attempt(sethostname(name, strlen(name)), "set the host name");
    /* A wrong magic number: EINVAL shows that the right was there. */
    if (syscall(SYS_reboot, 1, 2, 3, NULL) < 0 && errno == EINVAL)
        did("have the right to reboot");
    if (swapon("/nowhere", 0) < 0 && errno == ENOENT)
        did("have the right to swap");
    if (syscall(SYS_delete_module, "nowhere", O_NONBLOCK) < 0 && errno == ENOENT)
        did("have the right to remove modules");
    answer();
}

void unknown_calls(void)
{
    int file = open("/dev/null", O_RDONLY);
    for (int number = 600; number < 620; number++)
        if (syscall(number, 0, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS)
            did("call %d", number);
    /* Calls that newer kernels have; with these arguments they change nothing. */
    for (int number = 451; number < 480; number++)
        if (syscall(number, -1, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS)
            did("reach new call %d", number);
    close(file);
    answer();
}

/* Requests that no runtime of the suite makes, and that kernels know: of files, sockets, terminals, name spaces. */
void unlisted_requests(void)
{
    static const unsigned requests[] = {1, 2, 0x5401, 0x540b, 0x5412, 0x541d, 0x5437, 0x8008, 0x890b, 0x8942, 0x8946, 0x8970,
        0x80086601, 0x40086602, 0x80087601, 0x40049409, 0xb701, 0xb703, 0xc020660b, 0x801c581f, 0x5460};
    int files[] = {open("/proc/self/ns/user", O_RDONLY), open(program(), O_RDONLY), open(scratch(), O_RDONLY),
        socket(AF_UNIX, SOCK_STREAM, 0), open("/dev/null", O_RDWR)};
    long buffer[1024] = {0};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        for (size_t file = 0; file < sizeof files / sizeof *files; file++)
            if (files[file] >= 0 && (ioctl(files[file], requests[i], buffer) >= 0 || errno != ENOTTY))
                did("request %x", requests[i]);
    /* Machine checks, performance events, a filter, processors of its own, equal pages, ambient rights, memory map. */
    static const int options[] = {33, 31, 22, 62, 67, 47, 35, 57};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (prctl(options[i], 1, 2, 0, 0) >= 0 || errno != EINVAL)
            did("set option %d", options[i]);
    /* A label of flows to ::1, which the kernel counts once for all seats. */
    unsigned char label[32] = {[15] = 1, [18] = 0x12, [19] = 0x34, [21] = 1, [22] = 3};
    int six = socket(AF_INET6, SOCK_STREAM, 0);
    if (six >= 0 && setsockopt(six, SOL_IPV6, 32, label, sizeof label) >= 0)
        did("set option of labels");
    answer();
}
