/* Time: burnt, slept through, tampered with. */
#include "bot.h"
#include <pthread.h>
#include <sys/time.h>

void burn(void) { burn_to_the_end(); }
void nap(void) { nap_to_the_end(); }

void nap_and_answer(void)
{
    nap_ms(atoi(arg(0)));
    answer();
}

static void *burning(void *unused) { (void)unused; burn_to_the_end(); return NULL; }

void burn_in_threads(void)
{
    pthread_t id;
    for (int i = 0; i < 4; i++)
        pthread_create(&id, NULL, burning, NULL);
    nap_to_the_end();
}

void burn_in_children(void)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            burn_to_the_end();
    pid_t middle = fork();
    if (middle == 0) {
        if (fork() == 0)
            burn_to_the_end();
        _exit(0);
    }
    waitpid(middle, NULL, 0);
    nap_to_the_end();
}

/* Children that the kernel reaps by itself: their time is in nobody's sum, and each is gone soon. */
void burn_unseen(void)
{
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 150; i++) {
        if (fork() == 0) {
            while (clock() < 6 * CLOCKS_PER_SEC / 1000)
                ;
            _exit(0);
        }
        waitpid(-1, NULL, 0);
    }
    attempt(0, "burn in children that nobody waits for");
    nap_to_the_end();
}

/* A call that sets nothing, but needs the right to set the clock. */
void tamper_with_clocks(void)
{
    struct itimerval soon = {{1, 0}, {1, 0}};
    attempt(syscall(SYS_settimeofday, NULL, NULL), "have the right to set the clock");
    signal(SIGALRM, SIG_IGN);
    signal(SIGXCPU, SIG_IGN);
    setitimer(ITIMER_REAL, &soon, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    if (getenv("LD_PRELOAD") == NULL) {
        setenv("LD_PRELOAD", path_of(scratch(), "time.so"), 1);
        execl("/proc/self/exe", "hostile", "tamper_with_clocks", "x", NULL);
    }
    burn_to_the_end();
}

void grab_processor(void)
{
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    struct sched_param top = {.sched_priority = 1};
    attempt(setpriority(PRIO_PROCESS, 0, -20), "raise priority");
    attempt(sched_setscheduler(0, SCHED_FIFO, &top), "enter the real-time class");
    struct rlimit all = {40, 40};
    attempt(setrlimit(RLIMIT_NICE, &all), "lift the priority limit");
    answer();
}

static void *burn_in_bursts(void *nothing)
{
    struct timespec now;
    (void)nothing;
    for (;;) {
        /* All at the same moment, every 16 ms, for 0.4 ms. */
        clock_gettime(CLOCK_MONOTONIC, &now);
        long until_next = 16000000L - now.tv_nsec % 16000000L;
        struct timespec pause = {0, until_next};
        nanosleep(&pause, NULL);
        struct timespec begun;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
        do
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        while (1000000000L * (now.tv_sec - begun.tv_sec) + now.tv_nsec - begun.tv_nsec < 400000L);
    }
    return NULL;
}

/* Threads that queue for the processor of the seat, as if the machine were busy. */
void queue_in_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 8; i++)
        pthread_create(&thread, NULL, burn_in_bursts, NULL);
    nap_to_the_end();
}

/* Waits for a child that is stopped. */
void stop_a_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    answer();
}
