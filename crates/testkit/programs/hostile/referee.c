/* Asks a program that stays, where no sandbox does: the control of its rows.
 *
 *     hostile referee REQUESTS LIMIT_MS REQUEST_BYTES PAUSE_MS -- PROGRAM ARGUMENT...
 */
#include "talk.h"
#include <poll.h>

/* A line of more bytes has no end. */
#define ENDLESS (1 << 20)

enum heard { LINE, SILENCE, ENDLESS_LINE, GONE };

static int to, from;
static char *unsent, *buffer;
static size_t unsent_length, heard_length;
static int answered;

static void start_program(char **command)
{
    int requests[2], answers[2];
    if (pipe(requests) < 0 || pipe(answers) < 0)
        _exit(11);
    to = fcntl(requests[1], F_DUPFD_CLOEXEC, 10);
    from = fcntl(answers[0], F_DUPFD_CLOEXEC, 10);
    int in = fcntl(requests[0], F_DUPFD_CLOEXEC, 10), out = fcntl(answers[1], F_DUPFD_CLOEXEC, 10);
    for (int i = 0; i < 2; i++) {
        close(requests[i]);
        close(answers[i]);
    }
    if (fork() == 0) {
        dup2(in, 3);
        dup2(out, 4);
        execv(command[0], command);
        _exit(127);
    }
    close(in);
    close(out);
    fcntl(to, F_SETFL, O_NONBLOCK);
    fcntl(from, F_SETFL, O_NONBLOCK);
}

static void send_what_fits(void)
{
    ssize_t written = unsent_length ? write(to, unsent, unsent_length) : 0;
    if (written > 0) {
        unsent_length -= written;
        memmove(unsent, unsent + written, unsent_length);
    } else if (written < 0 && errno == EPIPE) {
        unsent_length = 0;
    }
}

/* Waits for a line, which is copied to `line`. */
static enum heard hear(char line[64], long until_ms)
{
    for (;;) {
        char *end = memchr(buffer, '\n', heard_length);
        if (end) {
            size_t length = end - buffer;
            snprintf(line, 64, "%.*s", (int)length, buffer);
            heard_length -= length + 1;
            memmove(buffer, end + 1, heard_length);
            return LINE;
        }
        if (heard_length >= ENDLESS)
            return ENDLESS_LINE;
        send_what_fits();
        long left = until_ms - elapsed_ms();
        if (left <= 0)
            return SILENCE;
        struct pollfd wait[2] = {{from, POLLIN, 0}, {unsent_length ? to : -1, POLLOUT, 0}};
        poll(wait, 2, left);
        ssize_t got = read(from, buffer + heard_length, ENDLESS - heard_length);
        if (got == 0)
            return GONE;
        if (got > 0)
            heard_length += got;
    }
}

static void ask(int number, long limit_ms, size_t bytes)
{
    unsent = realloc(unsent, unsent_length + bytes + 64);
    char *request = unsent + unsent_length;
    int length = sprintf(request, "%d %ld ", number, limit_ms);
    memset(request + length, '.', bytes);
    request[length + bytes] = '\n';
    unsent_length += length + bytes + 1;
}

/* Says what came before `until_ms`; returns whether more can be asked. */
static int listen_for(int number, long until_ms)
{
    char line[64];
    for (;;) {
        int status = 0;
        switch (hear(line, until_ms)) {
        case SILENCE:
            if (answered >= number)
                return 1;
            if (unsent_length)
                did("leave request %d unread", number);
            else
                did(heard_length ? "not end answer %d" : "stay silent at request %d", number);
            return 1;
        case ENDLESS_LINE:
            did("send a line without end");
            return 0;
        case GONE:
            wait(&status);
            did("leave with status %d at request %d", WEXITSTATUS(status), number);
            return 0;
        case LINE:
            if (atoi(line) > number)
                did("answer %d ahead", atoi(line));
            else if (atoi(line) < number)
                did("answer %d late", atoi(line));
            else if (answered < number)
                did("answer %d", answered = number);
            else
                did("answer %d late", number);
            if (atoi(line) == number && elapsed_ms() < until_ms)
                return 1;
        }
    }
}

void referee(void)
{
    int requests = atoi(arg(0));
    long limit_ms = atol(arg(1)), bytes = atol(arg(2)), pause_ms = atol(arg(3));
    char line[64];
    buffer = malloc(ENDLESS);
    signal(SIGPIPE, SIG_IGN);
    start_program(args + 5);
    enum heard first = hear(line, limit_ms);
    if (first == SILENCE) {
        did("start slowly");
        first = hear(line, 1000);
    }
    if (first != LINE)
        did("not start");
    int more = first == LINE;
    for (int number = 1; more && number <= requests; number++) {
        ask(number, limit_ms, bytes);
        more = listen_for(number, elapsed_ms() + limit_ms);
        if (more && pause_ms) {
            answered = number;
            more = listen_for(number, elapsed_ms() + pause_ms);
        }
    }
}
