/* Too much, too little, or odd output. */
#include "bot.h"

static void flood(int stream)
{
    static char piece[1 << 16];
    memset(piece, 'N', sizeof piece);
    signal(SIGPIPE, SIG_IGN);
    for (long sum = 0; sum < 4L << 30 && elapsed_ms() < MAX_SECONDS * 1000;) {
        long written = write(stream, piece, sizeof piece);
        if (written > 0)
            sum += written;
        else
            nap_ms(1);
    }
}

void flood_stdout(void) { flood(1); }
void flood_stderr(void) { flood(2); }

void loud_answer(void)
{
    static char piece[1 << 14];
    memset(piece, 'x', sizeof piece);
    for (int i = 0; i < 64; i++)
        if (write(2, piece, sizeof piece) < 0)
            _exit(1);
    answer();
}

void close_streams(void)
{
    for (int i = 0; i < 3; i++)
        close(i);
    nap_to_the_end();
}

void half_a_line(void)
{
    if (write(1, "N", 1) == 1)
        nap_to_the_end();
}

/* Prints the bytes given as hexadecimal digits. */
void print_bytes(void)
{
    const char *digits = arg(0);
    for (; digits[0] && digits[1]; digits += 2) {
        char pair[3] = {digits[0], digits[1], 0};
        char byte = (char)strtol(pair, NULL, 16);
        if (write(1, &byte, 1) < 0)
            _exit(1);
    }
}

/* Prints the bytes on both streams. */
void print_bytes_twice(void)
{
    print_bytes();
    dup2(2, 1);
    print_bytes();
}

void say_nothing(void) {}
void only_answer(void) { answer(); }
void answer_and_fail(void) { answer(); _exit(3); }

void answer_on_stderr(void)
{
    if (write(2, "N\n", 2) < 0)
        _exit(1);
}

void pipe_tricks(void)
{
    for (int i = 0; i < 3; i++) {
        fcntl(i, F_SETFL, O_NONBLOCK | O_ASYNC);
        fcntl(i, F_SETPIPE_SZ, 4096);
        lseek(i, 100, SEEK_SET);
        fcntl(i, F_SETOWN, getppid());
    }
    attempt(fcntl(1, F_GETPIPE_SZ) == 4096 ? 0 : -1, "shrink the pipe");
    attempt(write(0, "N\n", 2), "write into stdin");
    answer();
}

/* Writes its arguments, each ended by NUL, to standard error. */
void show_arguments(void)
{
    for (int i = 0; i < arg_count; i++)
        if (write(2, args[i], strlen(args[i]) + 1) < 0)
            _exit(1);
    answer();
}
