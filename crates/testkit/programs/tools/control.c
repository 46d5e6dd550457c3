/* Runs a hostile program without the sandbox, where it can do no harm:
 *
 *     control FOLDER MILLISECONDS keep-net|own-net -- PROGRAM ARGUMENT... [--then-- PROGRAM ...]
 *
 * Processes, mounts, System V objects, host name and (own-net) network are name
 * spaces of its own; the root is the host's under a layer of memory that takes
 * all writes; only FOLDER is real. Inside it runs as root with every right. The
 * programs run one after the other; what they print goes to FOLDER/out and
 * FOLDER/err, what they did to FOLDER/report as `key value` lines. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT (1 << 20)
#define LINGER_MS 150

static const char *folder;
static int own_net;
static int out_pipe[2], err_pipe[2], out_file, err_file, report_file, terminal;
static long out_seen, err_seen;

struct shared { volatile pid_t main; };
static struct shared *shared;

static void need(int ok, const char *step)
{
    if (ok)
        return;
    fprintf(stderr, "control: %s: %s\n", step, strerror(errno));
    _exit(125);
}

static char *path(const char *start, const char *end)
{
    char *result;
    need(asprintf(&result, "%s%s", start, end) >= 0, "memory");
    return result;
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void write_file(const char *name, const char *text)
{
    int file = open(name, O_WRONLY);
    need(file >= 0 && write(file, text, strlen(text)) == (long)strlen(text), name);
    close(file);
}

static void enter_name_spaces(void)
{
    int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (own_net ? CLONE_NEWNET : 0);
    if (geteuid() != 0) {
        char users[64], groups[64];
        snprintf(users, sizeof users, "0 %d 1", geteuid());
        snprintf(groups, sizeof groups, "0 %d 1", getegid());
        need(unshare(CLONE_NEWUSER) == 0, "new users");
        write_file("/proc/self/setgroups", "deny");
        write_file("/proc/self/uid_map", users);
        write_file("/proc/self/gid_map", groups);
    }
    need(unshare(flags) == 0, "new name spaces");
}

static void bind_device(const char *root, const char *name)
{
    char *from = path("/dev/", name), *to = path(path(root, "/dev/"), name);
    close(open(to, O_CREAT | O_WRONLY, 0666));
    mount(from, to, NULL, MS_BIND, NULL);
}

static void make_folders(const char *name)
{
    char *copy = strdup(name);
    for (char *at = copy + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(copy, 0755);
            *at = '/';
        }
    mkdir(copy, 0755);
}

/* Mounts `from` at `to` under a part of the layer that takes all writes. */
static int lay_over(const char *from, const char *to, const char *layer)
{
    static int parts;
    char *upper, *work, *options;
    need(asprintf(&upper, "%s/upper%d", layer, parts) > 0 && asprintf(&work, "%s/work%d", layer, parts++) > 0, "memory");
    mkdir(upper, 0755);
    mkdir(work, 0755);
    need(asprintf(&options, "lowerdir=%s,upperdir=%s,workdir=%s", from, upper, work) > 0, "memory");
    return mount("none", to, "overlay", 0, options) == 0
        || mount("none", to, "overlay", 0, path(options, ",userxattr")) == 0;
}

/* An ordinary user may not lay anything over a folder with mounts below it, so
 * the root is made of those that have none. */
static void patch_together(const char *root, const char *layer)
{
    DIR *all = opendir("/");
    struct dirent *entry;
    /* Only a mount can become the root. */
    need(mount(root, root, NULL, MS_BIND, NULL) == 0, "root of parts");
    while (all && (entry = readdir(all))) {
        char target[PATH_MAX] = "", *from = path("/", entry->d_name), *to = path(path(root, "/"), entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        if (entry->d_type == DT_LNK && readlink(from, target, sizeof target - 1) > 0)
            need(symlink(target, to) == 0, to);
        else if (entry->d_type == DT_DIR && mkdir(to, 0755) == 0)
            lay_over(from, to, layer);
    }
    if (all)
        closedir(all);
}

/* Locks of the layer's copy would not be seen outside. */
static void share_file(const char *root, const char *name)
{
    char *real = realpath(name, NULL);
    if (real == NULL)
        return;
    char *inside = path(root, real);
    need(mount(real, inside, NULL, MS_BIND, NULL) == 0, "shared file");
    need(mount(NULL, inside, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) == 0, "shared file read-only");
}

static void change_root(void)
{
    static const char *devices[] = {"null", "zero", "full", "random", "urandom", "tty", "kmsg"};
    char *layer = path(folder, "/layer"), *root = path(layer, "/root");
    need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private mounts");
    mkdir(layer, 0755);
    need(mount("none", layer, "tmpfs", 0, "mode=755") == 0, "layer");
    mkdir(root, 0755);
    if (!lay_over("/", root, layer))
        patch_together(root, layer);
    make_folders(path(root, folder));
    need(mount(folder, path(root, folder), NULL, MS_BIND, NULL) == 0, "folder");
    mkdir(path(root, "/dev"), 0755);
    mkdir(path(root, "/proc"), 0755);
    need(mount("none", path(root, "/dev"), "tmpfs", 0, "mode=755") == 0, "devices");
    mkdir(path(root, "/dev/shm"), 01777);
    for (int i = 0; i < 7; i++)
        bind_device(root, devices[i]);
    /* The disk is others' too: what fills it goes to memory here. */
    need(mount("none", path(path(root, folder), "/scratch"), "tmpfs", 0, "size=256m,mode=777") == 0, "scratch");
    need(mount("none", path(root, "/proc"), "proc", 0, NULL) == 0, "proc");
    share_file(root, "/usr/bin/python3");
    share_file(root, "/usr/bin/tsort");
    /* Not chroot, in which nobody may make name spaces of users. */
    need(chdir(root) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0, "root");
    need(chdir(path(folder, "/program")) == 0, "program");
}

static void raise_loopback(void)
{
    struct ifreq request = {.ifr_flags = IFF_UP | IFF_RUNNING};
    strcpy(request.ifr_name, "lo");
    int any = socket(AF_INET, SOCK_DGRAM, 0);
    ioctl(any, SIOCSIFFLAGS, &request);
    close(any);
}

static void become_program(char **command)
{
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY}, descriptors = {8192, 8192};
    setrlimit(RLIMIT_CORE, &core);
    setrlimit(RLIMIT_NOFILE, &descriptors);
    /* Anybody may raise it; whether it can be lowered again is what M11 asks. */
    write_file("/proc/self/oom_score_adj", "500");
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out_pipe[1], 1);
    dup2(err_pipe[1], 2);
    /* One descriptor too many, for those who look for it. */
    dup2(0, 9);
    for (int i = 3; i < 9; i++)
        close(i);
    for (int i = 10; i < 64; i++)
        close(i);
    execv(command[0], command);
    _exit(126);
}

/* The parent of the program: what an orchestrator is to a bot. */
static void be_parent(char **command)
{
    setsid();
    ioctl(terminal, TIOCSCTTY, 0);
    signal(SIGHUP, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        signal(SIGHUP, SIG_DFL);
        become_program(command);
    }
    shared->main = child;
    for (;;)
        pause();
}

static char state_of(pid_t pid)
{
    char name[64], text[512], *end;
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    int file = open(name, O_RDONLY);
    long got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (got <= 0)
        return '-';
    text[got] = 0;
    end = strrchr(text, ')');
    return end ? end[2] : '-';
}

struct numbers { long cpu_ms, rss_mib, live, zombies; };

static void add_process(const char *pid, struct numbers *sum)
{
    char name[64], text[1024], state;
    long user, system, child_user, child_system, rss;
    snprintf(name, sizeof name, "/proc/%.20s/stat", pid);
    int file = open(name, O_RDONLY);
    long got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (got <= 0)
        return;
    text[got] = 0;
    char *end = strrchr(text, ')');
    if (end == NULL || sscanf(end + 2, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld %*d %*d %*d %*d %*u %*u %ld", &state, &user, &system, &child_user, &child_system, &rss) != 6)
        return;
    sum->cpu_ms += (user + system + child_user + child_system) * 1000 / sysconf(_SC_CLK_TCK);
    sum->rss_mib += rss * 4 / 1024;
    if (state == 'Z')
        sum->zombies++;
    else
        sum->live++;
}

/* All processes of the name space but the first three: this one, the bystander
 * and the parent. Those are counted when `all` says so, for their children. */
static struct numbers count(const pid_t *ours)
{
    struct numbers sum = {0};
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    while (processes && (entry = readdir(processes))) {
        int pid = atoi(entry->d_name);
        if (pid > 1 && pid != ours[0] && pid != ours[1])
            add_process(entry->d_name, &sum);
    }
    if (processes)
        closedir(processes);
    return sum;
}

static void drain(int from, int to, long *seen)
{
    static char piece[1 << 16];
    long got;
    for (int i = 0; i < 64 && (got = read(from, piece, sizeof piece)) > 0; i++) {
        if (*seen < KEPT && write(to, piece, got) < 0)
            return;
        *seen += got;
    }
}

static int lines_of(const char *name)
{
    char text[512];
    int lines = -1;
    FILE *table = fopen(name, "r");
    while (table && fgets(text, sizeof text, table))
        lines++;
    if (table)
        fclose(table);
    return lines < 0 ? 0 : lines;
}

struct run { int status, ended; long peak_live, peak_zombies, peak_rss, cpu_ms, wall_ms, left; char state; };

static void reap(struct run *run)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == shared->main) {
            run->status = status;
            run->ended = 1;
        }
}

static void sample(struct run *run, const pid_t *ours)
{
    struct rusage reaped;
    struct numbers now = count(ours);
    getrusage(RUSAGE_CHILDREN, &reaped);
    long cpu = now.cpu_ms + reaped.ru_utime.tv_sec * 1000 + reaped.ru_utime.tv_usec / 1000 + reaped.ru_stime.tv_sec * 1000 + reaped.ru_stime.tv_usec / 1000;
    if (now.live > run->peak_live)
        run->peak_live = now.live;
    if (now.zombies > run->peak_zombies)
        run->peak_zombies = now.zombies;
    if (now.rss_mib > run->peak_rss)
        run->peak_rss = now.rss_mib;
    if (cpu > run->cpu_ms)
        run->cpu_ms = cpu;
    run->left = now.live;
}

/* The parent must not wait, or it would hide how its child ended; so the
 * child is looked at from here, and reaped by killing its parent at the end. */
static int has_ended(pid_t pid)
{
    char state = state_of(pid);
    return state == 'Z' || state == '-';
}

static struct run watch(const pid_t *ours, long limit_ms)
{
    struct run run = {.status = -1, .state = '-'};
    long start = now_ms(), ended_at = 0, next_sample = 0, lingered = 0;
    struct pollfd pipes[2] = {{out_pipe[0], POLLIN, 0}, {err_pipe[0], POLLIN, 0}};
    for (;;) {
        poll(pipes, 2, 3);
        drain(out_pipe[0], out_file, &out_seen);
        drain(err_pipe[0], err_file, &err_seen);
        long now = now_ms();
        if (now >= next_sample) {
            sample(&run, ours);
            next_sample = now_ms() + 10;
        }
        reap(&run);
        if (!ended_at && shared->main > 0 && (run.ended || has_ended(shared->main))) {
            ended_at = now;
            /* What it left, and what it said, may have come since the last look. */
            sample(&run, ours);
            continue;
        }
        /* Where the machine stands still, nobody else does anything either. */
        if (ended_at && (!run.left || (++lingered >= LINGER_MS / 5 && now - ended_at >= LINGER_MS)))
            break;
        if (now - start >= limit_ms)
            break;
    }
    run.wall_ms = (ended_at ? ended_at : now_ms()) - start;
    sample(&run, ours);
    run.state = shared->main > 0 ? state_of(shared->main) : '-';
    return run;
}

static int is_well(pid_t pid)
{
    char state = state_of(pid);
    return state == 'S' || state == 'R' || state == 'D';
}

static void report(const struct run *run, int bystander, int parent)
{
    if (!run->ended && run->state != 'Z')
        dprintf(report_file, "ended running\n");
    else if (WIFSIGNALED(run->status))
        dprintf(report_file, "ended signal %d\ncore %d\n", WTERMSIG(run->status), WCOREDUMP(run->status) ? 1 : 0);
    else
        dprintf(report_file, "ended status %d\n", WEXITSTATUS(run->status));
    dprintf(report_file, "state %c\nwall_ms %ld\ncpu_ms %ld\nprocesses %ld\nzombies %ld\nresident_mib %ld\nleft %ld\n",
        run->state, run->wall_ms, run->cpu_ms, run->peak_live, run->peak_zombies, run->peak_rss, run->left);
    dprintf(report_file, "bystander %d\nparent %d\nobjects %d\nstdout %ld\nstderr %ld\n", bystander, parent,
        lines_of("/proc/sysvipc/shm") + lines_of("/proc/sysvipc/sem") + lines_of("/proc/sysvipc/msg"), out_seen, err_seen);
}

static pid_t start_bystander(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        for (;;)
            pause();
    }
    return pid;
}

static void run_one(char **command, long limit_ms)
{
    pid_t ours[2];
    shared->main = 0;
    ours[0] = start_bystander();
    ours[1] = fork();
    if (ours[1] == 0)
        be_parent(command);
    struct run run = watch(ours, limit_ms);
    /* A signal sent last may still be on its way. */
    usleep(10000);
    int bystander = is_well(ours[0]), parent = is_well(ours[1]);
    kill(ours[1], SIGKILL);
    for (int i = 0; i < 50 && !run.ended && run.state == 'Z'; i++) {
        usleep(1000);
        reap(&run);
    }
    report(&run, bystander, parent);
}

static void be_init(char **words, long limit_ms)
{
    change_root();
    if (own_net)
        raise_loopback();
    while (*words) {
        char **end = words;
        while (*end && strcmp(*end, "--then--"))
            end++;
        int more = *end != NULL;
        *end = NULL;
        run_one(words, limit_ms);
        words = more ? end + 1 : end;
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    need(argc > 5, "arguments");
    folder = argv[1];
    own_net = strcmp(argv[3], "own-net") == 0;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    out_file = open(path(folder, "/out"), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    err_file = open(path(folder, "/err"), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    report_file = open(path(folder, "/report"), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    need(out_file >= 0 && err_file >= 0 && report_file >= 0, folder);
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
        terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    need(pipe2(out_pipe, O_NONBLOCK) == 0 && pipe2(err_pipe, O_NONBLOCK) == 0, "pipes");
    fcntl(out_pipe[1], F_SETFL, 0);
    fcntl(err_pipe[1], F_SETFL, 0);
    enter_name_spaces();
    pid_t init = fork();
    if (init == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        be_init(argv + 5, atol(argv[2]));
    }
    int status;
    need(init > 0 && waitpid(init, &status, 0) == init, "wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 124;
}
