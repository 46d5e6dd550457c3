/* Files that are too many, too big or too odd. */
#include "bot.h"
#include <linux/fs.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

static long fill(int file, long bytes)
{
    static char piece[1 << 16];
    long sum = 0;
    memset(piece, 1, sizeof piece);
    while (sum < bytes) {
        long written = write(file, piece, sizeof piece);
        if (written <= 0)
            break;
        sum += written;
    }
    return sum;
}

static int fill_scratch(void)
{
    int file = open(path_of(scratch(), "big"), O_CREAT | O_WRONLY, 0600);
    signal(SIGXFSZ, SIG_IGN);
    long written = file < 0 ? 0 : fill(file, 64 << 20);
    return attempt(written == 64 << 20 ? 0 : -1, "write 64 MiB") == 0;
}

void fill_disk(void)
{
    fill_scratch();
    answer();
}

void fill_disk_and_fail(void)
{
    if (!fill_scratch())
        _exit(1);
    answer();
}

void fill_disk_in_silence(void)
{
    if (fill_scratch())
        answer();
}

static int make_files(void)
{
    int made = 0;
    char name[PATH_MAX];
    for (; made < 200000; made++) {
        snprintf(name, sizeof name, "%s/%d", scratch(), made);
        int file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (file < 0)
            break;
        close(file);
        if (made == 2000)
            did("make more than 2000 files");
        if (made == 20000)
            did("make more than 20000 files");
    }
    return made;
}

void many_files(void)
{
    make_files();
    answer();
}

void many_files_and_fail(void)
{
    if (make_files() < 200000)
        _exit(1);
    answer();
}

void sparse_file(void)
{
    signal(SIGXFSZ, SIG_IGN);
    int file = open(path_of(scratch(), "sparse"), O_CREAT | O_RDWR, 0600);
    if (attempt(ftruncate(file, 1L << 40), "make 1 TiB") == 0)
        attempt(pwrite(file, "x", 1, (1L << 40) - 1), "write at its end");
    answer();
}

void deleted_file(void)
{
    signal(SIGXFSZ, SIG_IGN);
    char *path = path_of(scratch(), "gone");
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    unlink(path);
    attempt(fill(file, 64 << 20) == 64 << 20 ? 0 : -1, "write 64 MiB");
    answer();
}

/* Files without names, held open, together far above any limit of one. */
void deleted_files(void)
{
    long sum = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 50 && sum < 200L << 20; i++) {
        char *path = path_of(scratch(), "gone");
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            break;
        unlink(path);
        sum += fill(file, 4 << 20);
    }
    attempt(sum >= 200L << 20 ? 0 : -1, "hold 200 MiB of files without names");
    answer();
}

#define HELD (16L << 20)
#define HELD_FILES 8

/* A full file that has lost its name, or -1. */
static int nameless_file(const char *path)
{
    int file = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    unlink(path);
    if (fill(file, HELD / HELD_FILES) == HELD / HELD_FILES)
        return file;
    close(file);
    return -1;
}

/* Files without names that nobody holds open. */
void mapped_files(void)
{
    char *path = path_of(scratch(), "gone");
    int held = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (; held < HELD_FILES; held++) {
        int file = nameless_file(path);
        void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, HELD / HELD_FILES, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (bytes == MAP_FAILED)
            break;
    }
    nap_ms(100);
    attempt(held == HELD_FILES ? 0 : -1, "hold 16 MiB of files that are only mapped");
    answer();
}

static const char *gone;
static volatile int held_apart = -1;

static int hold_apart(void *unused)
{
    int held = 0;
    (void)unused;
    while (held < HELD_FILES && nameless_file(gone) >= 0)
        held++;
    held_apart = held;
    for (;;)
        pause();
    return 0;
}

static void *leave_others(void *unused)
{
    if (attempt(syscall(SYS_close_range, 3U, ~0U, 2U), "leave the files of others") < 0)
        held_apart = 0;
    else
        hold_apart(unused);
    return NULL;
}

/* Files without names that only a second thread has open. */
void files_of_a_thread(void)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    pthread_t id;
    gone = path_of(scratch(), "gone");
    signal(SIGXFSZ, SIG_IGN);
    if (clone(hold_apart, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD, NULL) < 0) {
        refused("make a thread with files of its own");
        if (pthread_create(&id, NULL, leave_others, NULL) != 0)
            held_apart = 0;
    }
    for (int i = 0; i < 150 && held_apart < 0; i++)
        nap_ms(2);
    nap_ms(50);
    attempt(held_apart == HELD_FILES ? 0 : -1, "hold 16 MiB of files of a second thread");
    answer();
    _exit(0);
}

void deep_tree(void)
{
    static const char *odd[] = {"new\nline", "esc\033[2J", "bad\xff\xfe", "-rf", " ", "~", "$(id)", "*"};
    char name[240];
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = 0;
    if (chdir(scratch()) < 0)
        return;
    for (int i = 0; i < 300; i++)
        if (mkdir(name, 0700) < 0 || chdir(name) < 0) {
            refused("depth %d", i);
            break;
        } else if (i == 299)
            did("go 300 deep");
    for (int i = 0; i < 8; i++)
        attempt(mkdir(odd[i], 0700), "odd name %d", i);
    attempt(symlink("loop", "loop"), "loop");
    attempt(symlink("/", "root"), "link to the root");
    attempt(symlink(program(), "program"), "link to the program");
    attempt(mkdir("closed", 0), "mode 000");
    chmod(scratch(), 0);
    answer();
}

void odd_files(void)
{
    char *path = path_of(scratch(), "odd");
    int file = open(path, O_CREAT | O_RDWR, 0600);
    attempt(fchmod(file, 06777), "set the user id bit");
    attempt(mknod(path_of(scratch(), "null"), S_IFCHR | 0666, makedev(1, 3)), "character device");
    attempt(mknod(path_of(scratch(), "disk"), S_IFBLK | 0666, makedev(7, 0)), "block device");
    attempt(mknod(path_of(scratch(), "fifo"), S_IFIFO | 0666, 0), "fifo");
    int immutable = FS_IMMUTABLE_FL, append = FS_APPEND_FL;
    attempt(ioctl(file, FS_IOC_SETFLAGS, &append), "append-only");
    attempt(ioctl(file, FS_IOC_SETFLAGS, &immutable), "immutable");
    answer();
}

void hard_links(void)
{
    attempt(link(path_of(program(), "hostile"), path_of(scratch(), "link")), "link the program");
    attempt(link(path_of(program(), "hostile"), path_of(program(), "link")), "link the program beside itself");
    attempt(link("/etc/passwd", path_of(scratch(), "passwd")), "link a system file");
    answer();
}

/* Holds every kind of lock on the interpreter for most of its turn. */
void hold_locks(void)
{
    int file = open("/usr/bin/python3", O_RDONLY);
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    attempt(flock(file, LOCK_EX | LOCK_NB), "lock the interpreter");
    attempt(fcntl(file, F_SETLK, &all), "record lock");
    attempt(fcntl(file, F_OFD_SETLK, &all), "descriptor lock");
    attempt(fcntl(file, F_SETLEASE, F_RDLCK), "lease");
    nap_ms(150);
    answer();
}

/* Everything that is writable, one after the other. */
void fill_all_folders(void)
{
    const char *folders[] = {scratch(), "/tmp", "/dev/shm"};
    long sum = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3; i++) {
        int file = open(path_of(folders[i], run_name()), O_CREAT | O_WRONLY, 0600);
        if (file >= 0)
            sum += fill(file, 24 << 20);
    }
    if (sum > 24 << 20)
        did("write more than 24 MiB in all");
    answer();
}

/* Looks for what the one before left. */
void find_in_all_folders(void)
{
    const char *folders[] = {scratch(), "/tmp", "/dev/shm"};
    for (int i = 0; i < 3; i++)
        if (access(path_of(folders[i], run_name()), F_OK) == 0)
            did("find the file in %s", i == 0 ? "the scratch" : folders[i]);
    answer();
}
