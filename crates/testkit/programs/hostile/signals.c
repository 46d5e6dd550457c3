/* Signals to itself and to others. */
#include "bot.h"
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/* Straight to the kernel: the C library keeps signals 32 and 33 to itself. */
static void handle(int number, void (*how)(int))
{
    struct { void (*how)(int); unsigned long flags, restorer, mask; } action = {how, 0, 0, 0};
    syscall(SYS_rt_sigaction, number, &action, NULL, 8);
}

static void block(unsigned long mask)
{
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
}

void ignore_signals(void)
{
    block(~0UL);
    for (int i = 1; i <= 64; i++)
        handle(i, SIG_IGN);
    for (int i = 1; i <= 64; i++)
        if (i != SIGKILL && i != SIGSTOP)
            syscall(SYS_kill, getpid(), i);
    did("survive every signal");
    nap_to_the_end();
}

void stop_itself(void)
{
    kill(getpid(), SIGSTOP);
    nap_to_the_end();
}

void kill_everybody(void)
{
    kill(-1, SIGKILL);
    answer();
}

/* The first argument is the referee's process. */
void kill_parent(void)
{
    int targets[] = {getppid(), atoi(arg(0)), 1};
    for (int i = 0; i < 3; i++)
        if (targets[i] > 0) {
            kill(targets[i], SIGTERM);
            kill(targets[i], SIGKILL);
        }
    if (getpgid(0) > 1 && getpgid(0) != getpid())
        kill(getpgid(0), SIGKILL);
    answer();
}

void stop_parent(void)
{
    kill(getppid(), SIGSTOP);
    if (atoi(arg(0)) > 0)
        kill(atoi(arg(0)), SIGSTOP);
    answer();
}

void trace_others(void);

static void trace(int pid)
{
    char path[64], byte;
    struct iovec here = {&byte, 1};
    struct iovec there = {(void *)(uintptr_t)&trace_others, 1};
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int memory = open(path, O_RDONLY);
    attempt(memory, "open the memory of %d", pid);
    /* A wrong address shows that the right was there. */
    long got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    attempt(got < 0 && errno == EFAULT ? 0 : got, "read memory of %d", pid);
    if (attempt(ptrace(PTRACE_SEIZE, pid, 0, 0), "trace %d", pid) == 0)
        ptrace(PTRACE_DETACH, pid, 0, 0);
}

void trace_others(void)
{
    trace(1);
    trace(getppid());
    for (int pid = 2; pid < 64; pid++)
        if (pid != getpid() && pid != getppid() && kill(pid, 0) == 0)
            trace(pid);
    answer();
}

/* Ends by the signal given. */
void answer_and_raise(void)
{
    int number = atoi(arg(0));
    answer();
    handle(number, SIG_DFL);
    block(0);
    syscall(SYS_kill, getpid(), number);
    nap_ms(20);
}

void dump_core(void)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &all);
    if (chdir(scratch()) == 0)
        answer();
    abort();
}

/* A limit of 0 keeps no kernel from starting a program for the crash; 1 does. */
void dump_core_without_limit(void)
{
    struct rlimit none = {0, 0};
    prctl(PR_SET_NAME, "piped-crash");
    setrlimit(RLIMIT_CORE, &none);
    syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
    abort();
}
