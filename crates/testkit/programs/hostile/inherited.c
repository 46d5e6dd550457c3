/* What a program has that it did not make: it says `did inherit` for whatever is
 * not as the sandbox makes it, whoever started the orchestrator and how. */
#include "bot.h"
#include <sys/prctl.h>
#include <sys/personality.h>
#include <sys/time.h>
#include <sys/utsname.h>

extern char **environ;

static void want(const char *what, long long seen, long long wanted)
{
    if (seen != wanted)
        did("inherit %s: %lld instead of %lld", what, seen, wanted);
}

static char *text_of(const char *name)
{
    static char text[4096];
    int file = open(name, O_RDONLY);
    long got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return text;
}

static void want_status(const char *field, unsigned long long wanted, int base)
{
    char *at = strstr(text_of("/proc/self/status"), field);
    if (at != NULL)
        want(field, strtoull(at + strlen(field), NULL, base), wanted);
}

static void look_at_signals(void)
{
    /* Where only its length limits a file, the signal of that is ignored. */
    char *at = strstr(text_of("/proc/self/status"), "SigIgn:");
    unsigned long long ignored = at ? strtoull(at + 7, NULL, 16) : 0;
    want("ignored signals", ignored & ~(1ULL << (SIGXFSZ - 1)), 0);
    want_status("SigBlk:", 0, 16);
    want_status("SigPnd:", 0, 16);
    want_status("ShdPnd:", 0, 16);
    want_status("SigCgt:", 0, 16);
}

static void look_at_limits(void)
{
    static const struct { int limit; const char *name; rlim_t soft, hard; } limits[] = {
        {RLIMIT_AS, "address space", RLIM_INFINITY, RLIM_INFINITY},
        {RLIMIT_CORE, "core", 1, 1},
        {RLIMIT_CPU, "seconds", RLIM_INFINITY, RLIM_INFINITY},
        {RLIMIT_DATA, "data", RLIM_INFINITY, RLIM_INFINITY},
        {RLIMIT_LOCKS, "locks", RLIM_INFINITY, RLIM_INFINITY},
        {RLIMIT_MSGQUEUE, "queues", 0, 0},
        {RLIMIT_NICE, "niceness", 0, 0},
        {RLIMIT_NOFILE, "descriptors", 64, 64},
        {RLIMIT_RSS, "resident", RLIM_INFINITY, RLIM_INFINITY},
        {RLIMIT_RTPRIO, "priority", 0, 0},
        {RLIMIT_RTTIME, "real time", RLIM_INFINITY, RLIM_INFINITY},
        {RLIMIT_SIGPENDING, "pending signals", 1024, 1024},
        {RLIMIT_STACK, "stack", 8 << 20, RLIM_INFINITY},
    };
    struct rlimit seen;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i].limit, &seen) == 0) {
            want(limits[i].name, seen.rlim_cur, limits[i].soft);
            want(limits[i].name, seen.rlim_max, limits[i].hard);
        }
}

static void look_at_schedule(void)
{
    want("niceness", getpriority(PRIO_PROCESS, 0), 0);
    want("scheduling class", sched_getscheduler(0), SCHED_OTHER);
    want("io priority", syscall(SYS_ioprio_get, 1, 0) & 0xe000, 0);
    char *at = strstr(text_of("/proc/self/autogroup"), "nice ");
    want("niceness of the autogroup", at ? atoi(at + 5) : 0, 0);
}

static void look_at_settings(void)
{
    int death = 0, reaper = 0, policy = 0;
    prctl(PR_GET_PDEATHSIG, &death);
    prctl(PR_GET_CHILD_SUBREAPER, &reaper);
    want("signal of the parent's death", death, 0);
    want("orphans", reaper, 0);
    want("timer slack", prctl(PR_GET_TIMERSLACK), 50000);
    want("no huge pages", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 0);
    want("dumpable", prctl(PR_GET_DUMPABLE), 1);
    want("kept capabilities", prctl(PR_GET_KEEPCAPS), 0);
    want("personality", personality(0xffffffff), 0);
    if (syscall(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0) == 0)
        want("memory policy", policy, 0);
    want("mask of file modes", umask(0), 022);
    want("score", atoi(text_of("/proc/self/oom_score_adj")), 800);
    want("core filter", strtol(text_of("/proc/self/coredump_filter"), NULL, 16), 0x33);
    want_status("NoNewPrivs:", 1, 10);
    want_status("CapInh:", 0, 16);
    want_status("CapAmb:", 0, 16);
    want_status("CapEff:", 0, 16);
}

static void look_at_keys(void)
{
    char line[512];
    FILE *keys = fopen("/proc/keys", "r");
    while (keys && fgets(line, sizeof line, keys))
        if (strstr(line, "joust-organiser"))
            did("inherit a key");
    if (keys)
        fclose(keys);
    /* KEYCTL_READ of KEY_SPEC_SESSION_KEYRING. */
    if (syscall(SYS_keyctl, 11, -3, line, sizeof line) > 0)
        did("inherit a session keyring with keys");
}

static void look_at_timers(void)
{
    static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    struct itimerval timer;
    for (int i = 0; i < 3; i++)
        if (getitimer(kinds[i], &timer) == 0)
            want("timer", timer.it_value.tv_sec, 0);
}

static void look_at_place(void)
{
    char folder[PATH_MAX] = "";
    if (getcwd(folder, sizeof folder) == NULL || strcmp(folder, program()))
        did("inherit the folder %s", folder);
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "SCRATCH=", 8) && strncmp(*entry, "PROGRAM=", 8) && strncmp(*entry, "RUN=", 4))
            did("inherit %s", *entry);
    for (int i = 3; i < 1024; i++)
        if (fcntl(i, F_GETFD) >= 0)
            did("inherit the descriptor %d", i);
    int terminal = open("/dev/tty", O_RDWR);
    if (terminal >= 0)
        did("inherit a terminal");
}

/* `yes | head -n 1` ends only if a broken pipe ends its writer. */
static void write_into_nothing(void)
{
    int ends[2], status = 0;
    if (pipe(ends) < 0)
        return;
    close(ends[0]);
    pid_t child = fork();
    if (child == 0) {
        char byte = 0;
        _exit(write(ends[1], &byte, 1) < 0 ? 3 : 4);
    }
    close(ends[1]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGPIPE)
        did("inherit that a broken pipe is no end");
}

void look_for_inheritance(void)
{
    look_at_signals();
    look_at_limits();
    look_at_schedule();
    look_at_settings();
    look_at_keys();
    look_at_timers();
    look_at_place();
    write_into_nothing();
    answer();
}
