/* Programs that stay, and break what was agreed on. */
#include "talk.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

struct request next_request(void)
{
    char line[64], byte;
    size_t length = 0;
    for (;;) {
        if (read(3, &byte, 1) != 1)
            _exit(0);
        if (byte == '\n')
            break;
        if (length < sizeof line - 1)
            line[length++] = byte;
    }
    line[length] = 0;
    struct request request = {0, 0};
    if (sscanf(line, "%d %ld", &request.number, &request.limit_ms) != 2)
        _exit(8);
    return request;
}

void send_line(const char *format, ...)
{
    char line[256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (write(4, line, length) != length)
        _exit(9);
}

void be_ready(void) { send_line("ready\n"); }
void answer_request(struct request request) { send_line("%d N\n", request.number); }

/* Stops itself at the second request; a child lets it go on when time is up. */
void talk_frozen(void)
{
    be_ready();
    for (;;) {
        struct request request = next_request();
        if (request.number == 2) {
            pid_t self = getpid();
            if (fork() == 0) {
                nap_ms(request.limit_ms * 4 / 3);
                kill(self, SIGCONT);
                _exit(0);
            }
            raise(SIGSTOP);
        }
        answer_request(request);
    }
}

/* One mebibyte more for every request. */
void talk_growing(void)
{
    be_ready();
    for (long grown = 0;; grown += 1 << 20) {
        struct request request = next_request();
        if (grown < MAX_BYTES)
            memset(malloc(1 << 20), 1, 1 << 20);
        answer_request(request);
    }
}

void talk_deaf(void)
{
    be_ready();
    nap_to_the_end();
}

/* The second answer comes when its time is up. */
void talk_late(void)
{
    be_ready();
    for (;;) {
        struct request request = next_request();
        if (request.number == 2)
            nap_ms(request.limit_ms * 4 / 3);
        answer_request(request);
    }
}

/* Everything it will ever say, at the first request. */
void talk_ahead(void)
{
    be_ready();
    next_request();
    send_line("1 N\n2 N\n3 N\n");
    nap_to_the_end();
}

/* An answer that comes byte by byte and never ends. */
void talk_bytewise(void)
{
    be_ready();
    send_line("%d ", next_request().number);
    for (;;) {
        nap_ms(50);
        if (elapsed_ms() > MAX_SECONDS * 1000)
            _exit(7);
        send_line("N");
    }
}

/* A hundred mebibytes without the end of a line. */
void talk_endless_line(void)
{
    static char much[1 << 16];
    memset(much, 'N', sizeof much);
    be_ready();
    send_line("%d ", next_request().number);
    for (long sent = 0; sent < 100L << 20;) {
        ssize_t written = write(4, much, sizeof much);
        if (written < 0)
            _exit(9);
        sent += written;
    }
    nap_to_the_end();
}

/* Goes away with a request half read. */
void talk_leaving(void)
{
    char byte;
    be_ready();
    if (read(3, &byte, 1) == 1)
        _exit(3);
}

/* Answers at once, and computes while others are asked. */
void talk_burning(void)
{
    be_ready();
    answer_request(next_request());
    burn_to_the_end();
}

void talk_never_ready(void) { nap_to_the_end(); }

static int reach(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    return client < 0 || connect(client, (void *)&address, sizeof address) < 0 ? -1 : client;
}

/* The first argument is a port of loopback where the test listens; the variable
 * GAME_PORT names the port of the program's own game. */
void talk_over_door(void)
{
    int game = reach(getenv("GAME_PORT") ? getenv("GAME_PORT") : "1");
    if (attempt(game, "reach its own game") >= 0 && write(game, run_name(), strlen(run_name())) < 0)
        _exit(9);
    attempt(reach(arg(0)), "reach the port of the host");
    be_ready();
    for (;;)
        answer_request(next_request());
}
