/* Telling the next turn something without a file or an object that stays. */
#include "bot.h"
#include <arpa/inet.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>

#define MADE 500
#define FORKED 40
#define OBJECTS 100

static int open_folder(const char *name) { return open(name, O_RDONLY | O_DIRECTORY); }

/* What a later program inherits, or finds noted on a folder or a device. */
void leave_marks(void)
{
    int flags = 0, folder = open_folder(scratch());
    uint64_t hint = 3;
    attempt(setpriority(PRIO_PROCESS, getppid(), 7), "slow the parent");
    attempt(setpriority(PRIO_PGRP, 0, 7), "slow the group");
    attempt(setpriority(PRIO_USER, 0, 7), "slow the user");
    struct sched_param none = {0};
    attempt(sched_setscheduler(getppid(), SCHED_IDLE, &none), "make the parent idle");
    ioctl(folder, FS_IOC_GETFLAGS, &flags);
    flags |= FS_NODUMP_FL;
    attempt(ioctl(folder, FS_IOC_SETFLAGS, &flags), "flag the scratch");
    attempt(fcntl(folder, 1036, &hint), "hint at the scratch");
    attempt(fcntl(open_folder(program()), 1036, &hint), "hint at the program");
    attempt(utimensat(AT_FDCWD, "/dev/zero", NULL, 0), "touch a device");
    attempt(chmod(scratch(), 0), "close the scratch");
    chmod(scratch(), 0777);
    answer();
}

void find_marks(void)
{
    int flags = 0, folder = open_folder(scratch());
    uint64_t hint = 0;
    if (getpriority(PRIO_PROCESS, 0) != 0 || sched_getscheduler(0) != SCHED_OTHER)
        did("find the slowness");
    if (ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_NODUMP_FL)
        did("find the flag");
    if (fcntl(folder, 1035, &hint) == 0 && hint != 0)
        did("find the hint");
    answer();
}

/* Numbers that the kernel gives out one after the other. */
void use_up_files(void)
{
    for (int i = 0; i < MADE; i++) {
        char *name = path_of(scratch(), "used");
        close(open(name, O_CREAT | O_WRONLY, 0600));
        unlink(name);
        free(name);
    }
    answer();
}

/* Where the entry after the first two is, which some file systems count. */
static long first_cookie(void)
{
    char room[4096];
    struct entry { uint64_t inode; int64_t offset; unsigned short length; };
    long got = syscall(SYS_getdents64, open_folder(scratch()), room, sizeof room);
    long least = 0;
    for (long at = 0; at < got; at += ((struct entry *)(room + at))->length) {
        long offset = ((struct entry *)(room + at))->offset;
        if (offset > least && offset < 1L << 30)
            least = offset;
    }
    return least;
}

void find_used_files(void)
{
    struct stat made;
    int file = open(path_of(scratch(), "new"), O_CREAT | O_RDWR, 0600);
    if (fstat(file, &made) == 0 && made.st_ino > MADE)
        did("find files used up");
    if (first_cookie() > MADE)
        did("find places in the folder used up");
    answer();
}

void use_up_processes(void)
{
    for (int i = 0; i < FORKED; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    answer();
}

void find_used_processes(void)
{
    if (getpid() > FORKED)
        did("find process ids used up");
    answer();
}

void use_up_objects(void)
{
    for (int i = 0; i < OBJECTS; i++) {
        semctl(semget(IPC_PRIVATE, 1, 0600), 0, IPC_RMID);
        msgctl(msgget(IPC_PRIVATE, 0600), IPC_RMID, NULL);
    }
    answer();
}

void find_used_objects(void)
{
    if (semget(IPC_PRIVATE, 1, 0600) >= OBJECTS)
        did("find semaphores used up");
    if (msgget(IPC_PRIVATE, 0600) >= OBJECTS)
        did("find queues used up");
    answer();
}

static int datagrams(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int any = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(any, (void *)&address, length) < 0 || getsockname(any, (void *)&address, &length) < 0)
        return -1;
    for (int i = 0; i < MADE; i++)
        sendto(any, "x", 1, MSG_DONTWAIT, (void *)&address, length);
    return 0;
}

void send_datagrams(void)
{
    attempt(datagrams(), "send datagrams");
    answer();
}

static int tells_number(const char *name)
{
    FILE *file = fopen(path_of("/proc/net", name), "r");
    char word[64];
    while (file && fscanf(file, "%63s", word) == 1)
        if (atol(word) >= MADE && atol(word) < 100 * MADE && strspn(word, "0123456789") == strlen(word))
            return 1;
    return 0;
}

void find_datagrams(void)
{
    if (tells_number("snmp") || tells_number("netstat") || tells_number("dev"))
        did("find datagrams counted");
    answer();
}

/* Entries of /proc are made when somebody looks for the first time. */
void look_at_some(void)
{
    struct stat any;
    stat("/proc/sys/kernel/threads-max", &any);
    stat("/proc/cpuinfo", &any);
    answer();
}

static long long changed_ms(const char *name)
{
    struct stat entry;
    return stat(name, &entry) == 0 ? entry.st_ctim.tv_sec * 1000LL + entry.st_ctim.tv_nsec / 1000000 : 0;
}

static int made_apart(const char *one, const char *other)
{
    long long first = changed_ms(one), second = changed_ms(other);
    return first && second && second - first > 20;
}

void find_who_looked(void)
{
    /* So that what is looked at now differs in time, however fast this turn follows. */
    usleep(40000);
    if (made_apart("/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"))
        did("find which setting was looked at");
    if (made_apart("/proc/cpuinfo", "/proc/meminfo"))
        did("find which file was looked at");
    answer();
}
