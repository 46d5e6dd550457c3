/* One program with many behaviours: `hostile <behaviour> [argument...] <view>`. */
#include "bot.h"

int arg_count;
char **args;
static struct timespec started;
static int *forks;

struct behaviour { const char *name; void (*run)(void); };
#define BEHAVIOUR(function) void function(void);
#include "behaviours.h"
#undef BEHAVIOUR
#define BEHAVIOUR(function) {#function, function},
static const struct behaviour behaviours[] = {
#include "behaviours.h"
};

const char *arg(int index) { return index < arg_count ? args[index] : ""; }

static void say(const char *word, const char *format, va_list list, const char *why)
{
    char line[1024];
    int length = snprintf(line, sizeof line, "%s ", word);
    length += vsnprintf(line + length, sizeof line - length - 200, format, list);
    length += snprintf(line + length, 180, "%s%s\n", *why ? ": " : "", why);
    if (write(2, line, length) < 0)
        return;
}

void did(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("did", format, list, "");
    va_end(list);
}

void refused(const char *format, ...)
{
    int error = errno;
    va_list list;
    va_start(list, format);
    say("refused", format, list, strerrorname_np(error) ? strerrorname_np(error) : "?");
    va_end(list);
}

long attempt(long result, const char *format, ...)
{
    int error = errno;
    va_list list;
    va_start(list, format);
    if (result < 0)
        say("refused", format, list, strerrorname_np(error) ? strerrorname_np(error) : "?");
    else
        say("did", format, list, "");
    va_end(list);
    return result;
}

void answer(void)
{
    if (write(1, "N\n", 2) != 2)
        _exit(9);
}

long elapsed_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - started.tv_sec) * 1000 + (now.tv_nsec - started.tv_nsec) / 1000000;
}

void nap_ms(long milliseconds)
{
    long end = elapsed_ms() + milliseconds;
    while (elapsed_ms() < end) {
        long left = end - elapsed_ms();
        struct timespec pause = {left / 1000, left % 1000 * 1000000};
        nanosleep(&pause, NULL);
    }
}

void burn_ms(long milliseconds)
{
    long end = elapsed_ms() + milliseconds;
    while (elapsed_ms() < end)
        for (volatile int i = 0; i < 10000; i++) {
        }
}

void nap_to_the_end(void) { nap_ms(MAX_SECONDS * 1000 - elapsed_ms()); _exit(7); }
void burn_to_the_end(void) { burn_ms(MAX_SECONDS * 1000 - elapsed_ms()); _exit(7); }

pid_t bounded_fork(void)
{
    if (__sync_fetch_and_add(forks, 1) >= MAX_PROCESSES) {
        errno = EDQUOT;
        return -1;
    }
    return fork();
}

int forks_made(void) { return *forks; }

static const char *environment(const char *name) { return getenv(name) ? getenv(name) : "/nowhere"; }
const char *scratch(void) { return environment("SCRATCH"); }
const char *program(void) { return environment("PROGRAM"); }
const char *run_name(void) { return environment("RUN"); }

char *path_of(const char *folder, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

int can_create(const char *folder)
{
    char *path = path_of(folder, run_name());
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
    return file >= 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    clock_gettime(CLOCK_MONOTONIC, &started);
    forks = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    arg_count = argc > 2 ? argc - 2 : 0;
    args = argv + 2;
    for (size_t i = 0; argc > 1 && i < sizeof behaviours / sizeof *behaviours; i++)
        if (strcmp(behaviours[i].name, argv[1]) == 0) {
            behaviours[i].run();
            return 0;
        }
    return 99;
}
