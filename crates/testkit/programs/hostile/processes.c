/* Floods of processes, and processes that try to stay. */
#include "bot.h"
#include <pthread.h>

void fork_bomb(void)
{
    for (;;) {
        pid_t child = bounded_fork();
        if (child == 0)
            nap_to_the_end();
        if (child < 0)
            break;
    }
    refused("fork after %d", forks_made());
    nap_to_the_end();
}

static void start_chain(long pause_ms)
{
    if (fork() == 0)
        while (elapsed_ms() < MAX_SECONDS * 1000) {
            pid_t child = fork();
            if (child > 0)
                _exit(0);
            if (pause_ms)
                nap_ms(pause_ms);
        }
}

void fork_chain(void)
{
    for (int i = 0; i < 4; i++)
        start_chain(0);
    nap_to_the_end();
}

void slow_fork_chain(void)
{
    start_chain(3);
    nap_to_the_end();
}

static void *thread(void *unused) { (void)unused; pause(); return NULL; }

void thread_bomb(void)
{
    pthread_attr_t small;
    pthread_t id;
    int made = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    while (made < MAX_PROCESSES && pthread_create(&id, &small, thread, NULL) == 0)
        made++;
    did("%d threads", made);
    if (made > 1000)
        did("more than 1000 threads");
    answer();
    _exit(0);
}

/* Two forks, a session of its own, no streams. */
static void daemon_of(void (*work)(void))
{
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) {
            for (int i = 0; i < 64; i++)
                close(i);
            work();
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

void leave_daemon(void)
{
    daemon_of(nap_to_the_end);
    answer();
}

void leave_burner(void)
{
    daemon_of(burn_to_the_end);
    answer();
}

void change_session(void)
{
    signal(SIGHUP, SIG_IGN);
    if (fork() == 0) {
        setsid();
        setpgid(0, 0);
        if (fork() == 0)
            nap_to_the_end();
        _exit(0);
    }
    long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        setsid();
        nap_to_the_end();
    }
    attempt(child, "sibling");
    answer();
}

void leave_zombies(void)
{
    pid_t middle = fork();
    int made = 0;
    while (made < 1500) {
        pid_t child = bounded_fork();
        if (child == 0)
            _exit(0);
        if (child < 0)
            break;
        made++;
    }
    if (middle == 0)
        _exit(0);
    did("%d zombies", made);
    if (made > 500)
        did("more than 500 zombies");
    answer();
}

void child_keeps_stdout(void)
{
    if (fork() == 0)
        nap_to_the_end();
    answer();
}

void child_answers_late(void)
{
    if (fork() == 0) {
        nap_ms(60);
        answer();
        nap_to_the_end();
    }
}

void use_children(void)
{
    pthread_t id;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    for (int i = 0; i < 20; i++)
        pthread_create(&id, NULL, thread, NULL);
    attempt(waitpid(child, NULL, 0), "child");
    answer();
    _exit(0);
}

static int is_of(const char *pid, uid_t user)
{
    struct stat about;
    return stat(path_of("/proc", pid), &about) == 0 && about.st_uid == user;
}

/* Says which other processes of its user there are, but for its parent. */
void look_for_processes(void)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        int pid = atoi(entry->d_name);
        if (pid > 1 && pid != getpid() && pid != getppid() && is_of(entry->d_name, getuid()))
            did("see process %d", pid);
    }
    answer();
}
