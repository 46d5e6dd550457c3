/* Sockets. Nothing here ever names an address outside loopback. */
#include "talk.h"
#include <arpa/inet.h>
#include <linux/if_alg.h>
#include <linux/io_uring.h>
#include <linux/rtnetlink.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <linux/vm_sockets.h>

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/* Shows the lines of a table of the kernel. */
static void show(const char *word, const char *path)
{
    char line[512];
    FILE *table = fopen(path, "r");
    for (int i = 0; table && fgets(line, sizeof line, table); i++)
        dprintf(2, "%s %s", word, line);
    if (table)
        fclose(table);
}

/* The first argument is a port of loopback where the test listens. */
void scan_network(void)
{
    struct sockaddr_in address = loopback(atoi(arg(0)));
    int client = socket(AF_INET, SOCK_STREAM, 0);
    attempt(client < 0 ? -1 : connect(client, (void *)&address, sizeof address), "reach the port of the host");
    show("interface", "/proc/net/dev");
    show("route", "/proc/net/route");
    show("route6", "/proc/net/ipv6_route");
    answer();
}

void take_port(void)
{
    struct sockaddr_in address = loopback(atoi(arg(0)));
    int server = socket(AF_INET, SOCK_STREAM, 0);
    int yes = 1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (attempt(bind(server, (void *)&address, sizeof address), "bind the port") == 0)
        attempt(listen(server, 4), "listen");
    nap_ms(150);
    answer();
}

/* A server at which the test connects. */
void listen_and_stay(void)
{
    struct sockaddr_in address = loopback(8000);
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (void *)&address, sizeof address) == 0 && listen(server, 4) == 0)
        pause();
}

void odd_sockets(void)
{
    struct io_uring_params ring = {0};
    attempt(socket(AF_VSOCK, SOCK_STREAM, 0), "vsock");
    attempt(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), "packet");
    attempt(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), "raw");
    attempt(socket(AF_ALG, SOCK_SEQPACKET, 0), "crypto");
    attempt(syscall(SYS_io_uring_setup, 4, &ring), "io_uring");
    answer();
}

static struct sockaddr_in6 loopback_in_six(int port)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    return address;
}

static void try_socket(int family, int type, int protocol, int port, const char *how)
{
    struct sockaddr_in four = loopback(port);
    struct sockaddr_in6 six = loopback_in_six(port);
    int client = socket(family, type, protocol);
    int result = client < 0 ? -1
        : family == AF_INET ? connect(client, (void *)&four, sizeof four)
                            : connect(client, (void *)&six, sizeof six);
    attempt(result, "reach the port of the host by %s", how);
    close(client);
}

/* Every way to the port that does not need a right. */
static void ways_to(int port)
{
    struct sockaddr_in address = loopback(port);
    struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    try_socket(AF_INET, SOCK_STREAM, 0, port, "tcp");
    try_socket(AF_INET6, SOCK_STREAM, 0, port, "tcp over ipv6");
    try_socket(AF_INET, SOCK_STREAM, 262, port, "mptcp");
    try_socket(AF_INET6, SOCK_STREAM, 262, port, "mptcp over ipv6");
    try_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, port, "sctp");
    try_socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP, port, "many sctp");
    try_socket(AF_INET, SOCK_DCCP, IPPROTO_DCCP, port, "dccp");
    int fast = socket(AF_INET, SOCK_STREAM, 0);
    attempt(sendto(fast, "x", 1, MSG_FASTOPEN, (void *)&address, sizeof address), "reach the port of the host by sending");
    int again = socket(AF_INET, SOCK_STREAM, 0);
    connect(again, &nowhere, sizeof nowhere);
    attempt(connect(again, (void *)&address, sizeof address), "reach the port of the host after going nowhere");
    close(fast);
    close(again);
}

/* What others of the network could come to, or be told by. */
static void offers(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int pair[2];
    int server = socket(AF_INET, SOCK_STREAM, 0);
    attempt(listen(server, 4), "listen without a name");
    attempt(socket(AF_INET, SOCK_DGRAM, 0), "make a datagram socket");
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "%s", run_name());
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(run_name());
    int made = socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    attempt(made ? -1 : bind(pair[0], (void *)&name, length), "name one end of a pair");
    attempt(made ? -1 : sendto(pair[1], "x", 1, 0, (void *)&name, length), "send from a pair to a name");
}

/* The first argument is a port of loopback where the test listens. */
void leave_network(void)
{
    ways_to(atoi(arg(0)));
    offers();
    answer();
}

static int game_port(void) { return atoi(getenv("GAME_PORT") ? getenv("GAME_PORT") : "1"); }

/* The same, of a program that has a port of its own. */
void talk_leaving_network(void)
{
    struct sockaddr_in game = loopback(game_port());
    int client = socket(AF_INET, SOCK_STREAM, 0);
    attempt(connect(client, (void *)&game, sizeof game), "reach its own game");
    ways_to(atoi(arg(0)));
    offers();
    be_ready();
    for (;;)
        answer_request(next_request());
}

/* A socket that is closed before it is connected never was. */
static void await_connected(const int *sockets, int many, int limit_ms)
{
    for (long until = elapsed_ms() + limit_ms; many > 0; many--, sockets++) {
        struct pollfd wanted = {sockets[0], POLLOUT, 0};
        long left = until - elapsed_ms();
        poll(&wanted, 1, left > 0 ? (int)left : 0);
    }
}

/* Where the launcher makes them, it has no more descriptors than a program until the game takes some. */
static int begin_connection(int client, const struct sockaddr_in *game)
{
    for (long until = elapsed_ms() + 2000;; nap_ms(2)) {
        if (connect(client, (const void *)game, sizeof *game) == 0 || errno == EINPROGRESS)
            return 1;
        if (errno != EMFILE || elapsed_ms() > until)
            return 0;
    }
}

/* More connections to its own game than it will be given, three times. */
void talk_crowding(void)
{
    struct sockaddr_in game = loopback(game_port());
    int made = 0;
    for (int round = 0; round < 3; round++) {
        int clients[45];
        for (int i = 0; i < 45; i++) {
            clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            made += clients[i] >= 0 && begin_connection(clients[i], &game);
        }
        await_connected(clients, 45, 100);
        for (int i = 0; i < 45; i++)
            close(clients[i]);
    }
    attempt(made >= 100 ? 0 : -1, "crowd its own game");
    be_ready();
    for (;;)
        answer_request(next_request());
}

static struct sockaddr_in swapped;
static volatile unsigned swaps;
static volatile int swapping = 1;

static void *swap(void *ports)
{
    while (swapping)
        ((volatile struct sockaddr_in *)&swapped)->sin_port = htons(((int *)ports)[swaps++ % 2]);
    return NULL;
}

/* Another thread exchanges the address while it is connected to. */
void talk_swapping(void)
{
    int ports[2] = {game_port(), atoi(arg(0))}, own = 0, others = 0;
    pthread_t thread;
    swapped = loopback(ports[0]);
    pthread_create(&thread, NULL, swap, ports);
    while (swaps < 10)
        sched_yield();
    long until = elapsed_ms() + 500;
    while (elapsed_ms() < until && own < 60 && others < 3) {
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        int client = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(client, (void *)&swapped, sizeof swapped) == 0
            && getpeername(client, (void *)&peer, &length) == 0) {
            int reached_other = ntohs(peer.sin_port) == ports[1];
            own += !reached_other;
            others += reached_other;
        }
        close(client);
    }
    swapping = 0;
    pthread_join(thread, NULL);
    attempt(own ? 0 : -1, "reach its own game");
    attempt(others ? 0 : -1, "reach the port of the host");
    be_ready();
    for (;;)
        answer_request(next_request());
}

/* What the kernel tells of interfaces and routes, and changes of them. */
void ask_interfaces(void)
{
    struct { struct nlmsghdr head; struct ifinfomsg body; } down = {0};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK}, peer = {.nl_family = AF_NETLINK, .nl_pid = getppid()};
    int client = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    attempt(client, "ask about interfaces");
    down.head.nlmsg_len = sizeof down;
    down.head.nlmsg_type = RTM_NEWLINK;
    down.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    down.body.ifi_index = 1;
    down.body.ifi_change = IFF_UP;
    struct { struct nlmsghdr head; struct nlmsgerr error; } heard = {0};
    if (client >= 0 && sendto(client, &down, sizeof down, 0, (void *)&kernel, sizeof kernel) > 0
        && recv(client, &heard, sizeof heard, 0) > 0 && heard.head.nlmsg_type == NLMSG_ERROR) {
        errno = -heard.error.error;
        attempt(heard.error.error ? -1 : 0, "switch loopback off");
    }
    attempt(client < 0 ? -1 : sendto(client, &down, sizeof down, 0, (void *)&peer, sizeof peer), "send to another process");
    for (int protocol = 1; protocol < 23; protocol++)
        attempt(socket(AF_NETLINK, SOCK_RAW, protocol), "netlink %d", protocol);
    answer();
}

/* Answers of the kernel that nobody reads: memory of no process. */
static int fill_netlink(int sockets)
{
    struct { struct nlmsghdr head; struct ifinfomsg body; } ask = {0};
    ask.head.nlmsg_len = sizeof ask;
    ask.head.nlmsg_type = RTM_GETLINK;
    ask.head.nlmsg_flags = NLM_F_REQUEST;
    ask.body.ifi_index = 1;
    for (int i = 0; i < sockets; i++) {
        int client = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, NETLINK_ROUTE);
        if (client < 0)
            return -1;
        for (int sent = 0; sent < 300; sent++)
            if (send(client, &ask, sizeof ask, 0) < 0)
                break;
    }
    return 0;
}

void talk_unread(void)
{
    attempt(fill_netlink(1), "leave answers unread");
    for (int child = 0; child < 24; child++)
        if (bounded_fork() == 0) {
            fill_netlink(40);
            nap_to_the_end();
        }
    fill_netlink(39);
    /* The children have not filled theirs yet. */
    nap_ms(500);
    be_ready();
    for (;;)
        answer_request(next_request());
}

/* The kernel counts the sockets and the networks of everybody, and tells whoever asks. */
void count_sockets(void)
{
    int pair[2];
    uint64_t number;
    socklen_t size = sizeof number;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        attempt(getsockopt(pair[0], SOL_SOCKET, 57, &number, &size), "learn how many sockets there were");
        attempt(getsockopt(pair[0], SOL_SOCKET, 71, &number, &size), "learn how many networks there were");
    }
    answer();
}
