/* Telling others something by what the kernel keeps for more than one program: the next turn by the
 * seat's network and by the account of whoever started it, another seat by a file that both read. */
#include "bot.h"
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <linux/if_link.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/socket.h>

/* How many packets the interface of loopback has carried, -1 if nobody says. */
static long packets(void)
{
    struct { struct nlmsghdr head; struct ifinfomsg body; } ask = {0};
    static char room[32768];
    int client = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    ask.head.nlmsg_len = sizeof ask;
    ask.head.nlmsg_type = RTM_GETLINK;
    ask.head.nlmsg_flags = NLM_F_REQUEST;
    ask.body.ifi_index = 1;
    if (client < 0 || send(client, &ask, sizeof ask, 0) < 0 || recv(client, room, sizeof room, 0) < 0)
        return -1;
    struct nlmsghdr *head = (void *)room;
    if (head->nlmsg_type != RTM_NEWLINK)
        return -1;
    int left = IFLA_PAYLOAD(head);
    for (struct rtattr *one = IFLA_RTA(NLMSG_DATA(head)); RTA_OK(one, left); one = RTA_NEXT(one, left))
        if (one->rta_type == IFLA_STATS64) {
            struct rtnl_link_stats64 counted;
            memcpy(&counted, RTA_DATA(one), sizeof counted);
            return counted.rx_packets;
        }
    return -1;
}

/* The kernel's request for a flow label; its own header and the C library's exclude each other. */
struct flow_label {
    struct in6_addr to;
    uint32_t label;
    uint8_t action, share;
    uint16_t flags, expires, linger;
    uint32_t padding;
};

/* Leases a label that outlives its socket for a minute. */
static int lease(void)
{
    struct flow_label label = {.to = in6addr_loopback, .label = htonl(0x7a5e), .share = 1, .flags = 3, .expires = 60, .linger = 60};
    return setsockopt(socket(AF_INET6, SOCK_DGRAM, 0), IPPROTO_IPV6, 32, &label, sizeof label);
}

void lease_label(void)
{
    attempt(lease(), "lease a label");
    answer();
}

void find_counted(void)
{
    if (packets() >= 500)
        did("find datagrams counted by the interface");
    if (lease() < 0 && errno == EEXIST)
        did("find the label leased");
    answer();
}

void spend_time(void)
{
    while (clock() < 110 * CLOCKS_PER_SEC / 1000) {
    }
    answer();
}

/* Says how long those ran whom a process waited for, in hundredths of a second. */
static unsigned long time_of_children(int process)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = open(path, O_RDONLY);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0 && strrchr(text, ')'))
        sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user, &kernel);
    return user + kernel;
}

/* Whoever started this has the time of those before it, or the first process, which takes over what others leave. */
void find_time_spent(void)
{
    if (time_of_children(getppid()) >= 8 || time_of_children(1) >= 8)
        did("find the time that an earlier turn spent");
    answer();
}

/* A file that everybody has and nobody opens. */
#define SHARED "/usr/bin/tsort"
#define PLACE 77777

/* Locks a part of it, and opens it again and again. */
void whisper(void)
{
    int file = open(SHARED, O_RDONLY);
    struct flock part = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = PLACE, .l_len = 1};
    if (fcntl(file, F_OFD_SETLK, &part) == 0)
        did("whisper");
    for (int i = 0; i < 30; i++) {
        close(open(SHARED, O_RDONLY));
        nap_ms(5);
    }
    close(file);
    answer();
}

void overhear(void)
{
    int file = open(SHARED, O_RDONLY), watch = inotify_init1(IN_NONBLOCK);
    struct flock part = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = PLACE, .l_len = 1};
    char room[4096];
    if (fcntl(file, F_GETLK, &part) == 0 && part.l_type == F_RDLCK)
        did("overhear a lock");
    inotify_add_watch(watch, SHARED, IN_OPEN);
    nap_ms(30);
    if (watch >= 0 && read(watch, room, sizeof room) > 0)
        did("overhear an opening");
    answer();
}
