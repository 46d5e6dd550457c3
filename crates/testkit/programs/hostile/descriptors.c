/* Descriptors and other things the kernel counts. */
#include "bot.h"
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static void exhaust(void)
{
    int made = 0;
    while (made < 5000 && open("/dev/null", O_RDONLY) >= 0)
        made++;
    attempt(made == 5000 ? 0 : -1, "open 5000 descriptors");
}

void exhaust_descriptors(void)
{
    exhaust();
    answer();
}

/* Stays long enough for somebody to look. */
void exhaust_descriptors_and_stay(void)
{
    exhaust();
    nap_ms(150);
    answer();
}

void look_for_descriptors(void)
{
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0)
            did("miss descriptor %d", i);
        else if (isatty(i))
            did("see a terminal at %d", i);
    for (int i = 3; i < 4096; i++)
        if (fcntl(i, F_GETFD) >= 0)
            did("see descriptor %d", i);
    answer();
}

void kernel_objects(void)
{
    int made[4] = {0};
    while (made[0] < 2000 && inotify_init1(0) >= 0)
        made[0]++;
    for (int i = 3; i < 4096; i++)
        close(i);
    while (made[1] < 2000 && epoll_create1(0) >= 0)
        made[1]++;
    for (int i = 3; i < 4096; i++)
        close(i);
    for (timer_t timer; made[2] < 2000 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;)
        made[2]++;
    char name[64];
    for (; made[3] < 300; made[3]++) {
        snprintf(name, sizeof name, "%s-%d", run_name(), made[3]);
        if (syscall(SYS_add_key, "user", name, "x", 1, -3) < 0)
            break;
    }
    did("make %d watches, %d polls, %d timers, %d keys", made[0], made[1], made[2], made[3]);
    if (made[0] > 50 && made[1] > 50 && made[2] > 50 && made[3] > 50)
        did("make more than 50 of each");
    if (unshare(CLONE_NEWUSER) == 0)
        did("make a name space of users");
    answer();
}

/* Says whether an ordinary watch can still be had. */
void make_one_watch(void)
{
    attempt(inotify_init1(0), "watch");
    answer();
}

/* One message with as many copies of a descriptor as it may carry. */
static int send_copies(int socket, int copies)
{
    int numbers[253];
    for (int i = 0; i < copies; i++)
        numbers[i] = 0;
    char byte = 'x', room[CMSG_SPACE(sizeof numbers)] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room,
        .msg_controllen = CMSG_SPACE(copies * sizeof(int))};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(copies * sizeof(int));
    memcpy(CMSG_DATA(control), numbers, copies * sizeof(int));
    return sendmsg(socket, &message, MSG_DONTWAIT);
}

/* Leaves descriptors in messages that nobody receives, as an ordinary user: a
 * superuser is not counted. The first argument is for how long, in milliseconds. */
void park_descriptors(void)
{
    struct rlimit few = {256, 256};
    int pair[2], parked = 0;
    setrlimit(RLIMIT_NOFILE, &few);
    if (geteuid() == 0 && setresuid(65531, 65531, 65531) < 0)
        refused("become an ordinary user");
    for (int i = 0; i < 8; i++) {
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
            break;
        while (parked < 2000 && send_copies(pair[0], 253) > 0)
            parked += 253;
    }
    if (parked > 250)
        did("park descriptors");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0 && send_copies(pair[0], 1) < 0 && errno == ETOOMANYREFS)
        did("keep others of the user from passing any");
    nap_ms(atoi(arg(0)) ? atoi(arg(0)) : 150);
    answer();
}

/* Keeps as many inotify instances, and watches of epoll, as there are. */
void hold_watches(void)
{
    int made = 0, poll = epoll_create1(0);
    while (made < 2000 && inotify_init1(0) >= 0)
        made++;
    for (int i = 0; i < 3; i++) {
        struct epoll_event event = {.events = EPOLLIN};
        int pipes[2];
        if (pipe(pipes) == 0)
            epoll_ctl(poll, EPOLL_CTL_ADD, pipes[0], &event);
    }
    if (made > 0)
        did("hold watches");
    nap_ms(150);
    answer();
}

/* What an ordinary program needs of what the kernel counts for each user. */
void get_one_of_each(void)
{
    int pair[2], pipes[2], queue = msgget(IPC_PRIVATE, 0600);
    /* Where a filter lets nobody have any, none is taken from anybody. */
    int no_queues = queue < 0 && errno == ENOSYS;
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    int passed = socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0 && send_copies(pair[0], 1) > 0;
    int watched = inotify_init1(0) >= 0;
    int polled = pipe(pipes) == 0 && epoll_ctl(poll, EPOLL_CTL_ADD, pipes[0], &event) == 0;
    /* One of a user who has too many is made smaller. */
    int large = fcntl(pipes[0], F_GETPIPE_SZ) >= 1 << 16;
    struct { long kind; char text[1]; } message = {1, "x"};
    int sent = no_queues || (queue >= 0 && msgsnd(queue, &message, 1, IPC_NOWAIT) == 0);
    if (queue >= 0)
        msgctl(queue, IPC_RMID, NULL);
    if (passed && watched && polled && large && sent)
        did("get one of each");
    else
        refused("get: descriptor in a message %d, watch %d, poll %d, large pipe %d, message %d", passed, watched,
            polled, large, sent);
    answer();
}
