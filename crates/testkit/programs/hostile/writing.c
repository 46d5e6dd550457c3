/* Writing where it must not, and keeping state. */
#include "bot.h"
#include <mqueue.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>

#define KEY 0x4a6f7573

static int is_scratch(const char *folder)
{
    struct stat one, other;
    return stat(folder, &one) == 0 && stat(scratch(), &other) == 0 && one.st_dev == other.st_dev
        && strcmp(folder, "/") != 0 && strncmp(folder, program(), strlen(program())) != 0;
}

void write_everywhere(void)
{
    static const char *folders[] = {"/", "/etc", "/usr", "/usr/bin", "/usr/lib", "/bin", "/lib", "/tmp",
        "/var", "/var/tmp", "/root", "/home", "/run", "/dev", "/dev/shm", "/dev/mqueue", "/proc", "/sys",
        "/sys/fs/cgroup", "/opt", "/srv", "/mnt", "/media"};
    static const char *files[] = {"/etc/passwd", "/etc/ld.so.cache", "/usr/bin/python3", "/proc/sys/kernel/core_pattern",
        "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/self/uid_map"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!is_scratch(folders[i]))
            attempt(can_create(folders[i]), "create in %s", folders[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        attempt(open(files[i], O_WRONLY), "open %s", files[i]);
    attempt(can_create(program()), "create in the program");
    attempt(can_create(arg(0)), "create in the folder of the host");
    attempt(can_create(scratch()), "use the scratch");
    answer();
}

void rewrite_itself(void)
{
    char *self = path_of(program(), "hostile");
    attempt(open(self, O_WRONLY | O_TRUNC), "truncate the program");
    attempt(rename(self, path_of(program(), "moved")), "rename the program");
    attempt(unlink(path_of(program(), "other")), "remove a file");
    attempt(open(path_of(program(), "json.py"), O_CREAT | O_WRONLY, 0600), "plant a module");
    attempt(mkdir(path_of(program(), "__pycache__"), 0700), "plant byte code");
    attempt(chmod(self, 0), "change its mode");
    attempt(utimensat(AT_FDCWD, self, NULL, 0), "change its times");
    attempt(symlink("x", path_of(program(), "shadow")), "plant a link");
    answer();
}

/* The first argument is the opponent's folder on the host. */
void write_to_opponent(void)
{
    attempt(can_create(arg(0)), "create in the opponent's folder");
    attempt(open(path_of(arg(0), "state"), O_WRONLY), "open the opponent's state");
    answer();
}

void leave_marker(void)
{
    attempt(open(path_of(scratch(), "marker"), O_CREAT | O_WRONLY, 0644), "leave a marker");
    attempt(open(path_of("/tmp", run_name()), O_CREAT | O_WRONLY, 0644), "leave one in /tmp");
    answer();
}

void find_marker(void)
{
    if (access(path_of(scratch(), "marker"), F_OK) == 0)
        did("find the marker");
    if (access(path_of("/tmp", run_name()), F_OK) == 0)
        did("find the one in /tmp");
    DIR *folder = opendir(scratch());
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            did("find %s", entry->d_name);
    answer();
}

static char *queue_name(void) { return path_of("", run_name()); }

void leave_objects(void)
{
    attempt(shmget(KEY, 4096, IPC_CREAT | 0666), "leave a segment");
    attempt(semget(KEY, 1, IPC_CREAT | 0666), "leave a semaphore");
    attempt(msgget(KEY, IPC_CREAT | 0666), "leave a queue");
    attempt(mq_open(queue_name(), O_CREAT | O_RDWR, 0666, NULL), "leave a POSIX queue");
    attempt(shm_open(queue_name(), O_CREAT | O_RDWR, 0666), "leave POSIX memory");
    attempt(syscall(SYS_add_key, "user", run_name(), "x", 1, -4), "leave a key");
    answer();
}

void find_objects(void)
{
    attempt(shmget(KEY, 4096, 0), "find the segment");
    attempt(semget(KEY, 1, 0), "find the semaphore");
    attempt(msgget(KEY, 0), "find the queue");
    attempt(mq_open(queue_name(), O_RDWR), "find the POSIX queue");
    attempt(shm_open(queue_name(), O_RDWR, 0), "find the POSIX memory");
    attempt(syscall(SYS_keyctl, 10, -4, "user", run_name(), 0), "find the key");
    answer();
}

static int abstract_socket(struct sockaddr_un *address, socklen_t *length)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "%s", run_name());
    *length = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(run_name());
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int send_descriptor(int socket, int descriptor)
{
    char byte = 'x', room[CMSG_SPACE(sizeof descriptor)] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_DONTWAIT);
}

static int serve(void)
{
    struct sockaddr_un address;
    socklen_t length;
    int listener = abstract_socket(&address, &length);
    if (attempt(bind(listener, (void *)&address, length), "bind an abstract socket") == 0)
        listen(listener, 4);
    return listener;
}

/* Leaves a server and the standard output in messages that wait in each other's sockets, which the
 * kernel finds out late. */
void leave_server_in_messages(void)
{
    int pair[2], listener = serve();
    if (attempt(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "make a pair") == 0)
        for (int i = 0; i < 2; i++)
            if (send_descriptor(pair[i], pair[!i]) < 0 || send_descriptor(pair[i], i ? listener : 1) < 0)
                refused("send a descriptor");
    answer();
}

void leave_server(void)
{
    serve();
    if (fork() == 0) {
        setsid();
        nap_to_the_end();
    }
    answer();
}

/* Stays for a while, so that somebody outside can try to connect. */
void serve_for_a_while(void)
{
    serve();
    nap_ms(150);
    answer();
}

void find_server(void)
{
    struct sockaddr_un address;
    socklen_t length;
    int client = abstract_socket(&address, &length);
    attempt(connect(client, (void *)&address, length), "reach the server");
    answer();
}

void use_terminal(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY);
    attempt(terminal, "open the terminal");
    attempt(ioctl(terminal, TIOCSTI, "x"), "inject input");
    answer();
}
