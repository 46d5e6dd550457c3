/* Answers by a file, and what may lie in its place. */
#include "bot.h"
#include <sys/socket.h>
#include <sys/un.h>

static char *move_path(void) { return path_of(scratch(), "move.txt"); }

static void write_move(const char *bytes, size_t length)
{
    int file = open(move_path(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, bytes, length) != (ssize_t)length)
        refused("write the move");
    close(file);
}

/* Shows what the file leads to, as whoever followed it would see it. */
static void show_move(void)
{
    char text[4096];
    int file = open(move_path(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (length < 0) {
        refused("read through it");
        return;
    }
    text[length] = 0;
    did("read through it: %s", text);
}

/* The arguments are hexadecimal digits. */
void move_bytes(void)
{
    char bytes[256];
    size_t length = strlen(arg(0)) / 2;
    for (size_t i = 0; i < length && i < sizeof bytes; i++) {
        unsigned byte = 0;
        sscanf(arg(0) + 2 * i, "%2x", &byte);
        bytes[i] = (char)byte;
    }
    write_move(bytes, length);
    did("write the move");
}

/* The first argument is where it leads, or the folder of the second. */
void move_link(void)
{
    const char *target = arg_count > 2 ? path_of(arg(0), arg(1)) : arg(0);
    attempt(symlink(target, move_path()), "link");
    show_move();
}

void move_hard_link(void)
{
    char *other = path_of(scratch(), "other");
    close(open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    write_move("3", 1);
    unlink(other);
    attempt(link(move_path(), other), "link");
}

void move_pipe(void) { attempt(mkfifo(move_path(), 0644), "make a pipe"); }

void move_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", move_path());
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    attempt(bind(listener, (void *)&address, sizeof address), "make a socket");
}

void move_folder(void) { attempt(mkdir(move_path(), 0755), "make a folder"); }

void move_big(void)
{
    static char block[1 << 16];
    memset(block, '3', sizeof block);
    int file = open(move_path(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    for (int i = 0; i < 16; i++)
        if (write(file, block, sizeof block) != sizeof block)
            refused("write a block");
    did("write 1 MiB");
}

void move_sparse(void)
{
    int file = open(move_path(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    attempt(ftruncate(file, 1L << 30), "make it 1 GiB");
}

void find_move(void)
{
    if (access(move_path(), F_OK) == 0)
        did("find the move");
}

/* A child changes the file when its parent has ended. */
void move_changed_later(void)
{
    write_move("3", 1);
    pid_t parent = getpid();
    if (fork() == 0) {
        setsid();
        while (getppid() == parent)
            nap_ms(1);
        nap_ms(100);
        write_move("4", 1);
        did("change the move");
        _exit(0);
    }
}

void move_closed(void)
{
    write_move("3", 1);
    attempt(chmod(move_path(), 0), "take the rights");
}

void move_and_stay(void)
{
    write_move("3", 1);
    did("write the move");
    nap_to_the_end();
}

/* Swaps a file of two names and a link for as long as it can, also when its
 * parent has ended. */
void move_swapped(void)
{
    char *other = path_of(scratch(), "other");
    write_move("3", 1);
    if (link(move_path(), path_of(scratch(), "second")) < 0)
        refused("link");
    attempt(symlink(arg(0), other), "link");
    pid_t child = fork();
    if (child == 0) {
        setsid();
        for (;;)
            renameat2(AT_FDCWD, other, AT_FDCWD, move_path(), RENAME_EXCHANGE);
    }
    for (int i = 0; i < 2000; i++) {
        char target[4096];
        if (readlink(move_path(), target, sizeof target) > 0) {
            did("see a link where the file was");
            break;
        }
        nap_ms(1);
    }
    show_move();
}

/* The first argument is the folder of another seat. */
void look_for_moves(void)
{
    attempt(open(path_of(arg(0), "state"), O_RDONLY), "read another's state");
    attempt(open(path_of(arg(0), "move.txt"), O_RDONLY), "read another's move");
    find_move();
    DIR *above = opendir(path_of(scratch(), ".."));
    struct dirent *entry;
    while (above && (entry = readdir(above)))
        if (strcmp(entry->d_name, "opponent") == 0)
            did("see another's folder");
}
