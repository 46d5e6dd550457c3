/* Sockets. Nothing here ever names an address outside loopback. */
#include "bot.h"
#include <arpa/inet.h>
#include <linux/if_alg.h>
#include <linux/io_uring.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <sys/socket.h>
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
