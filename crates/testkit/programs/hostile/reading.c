/* Reading what is not its own. */
#include "bot.h"
#include <sys/klog.h>
#include <sys/utsname.h>

extern char **environ;

static void copy_to_stderr(const char *path)
{
    char piece[8192];
    int file = open(path, O_RDONLY);
    long got;
    if (file < 0) {
        refused("read %s", path);
        return;
    }
    while ((got = read(file, piece, sizeof piece)) > 0)
        for (char *at = piece; at < piece + got;) {
            if (*at == 0)
                *at = '\n';
            at++;
            if (at == piece + got && write(2, piece, got) < 0)
                return;
        }
    close(file);
}

void read_processes(void)
{
    char path[300], text[8192];
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        int pid = atoi(entry->d_name);
        if (pid <= 0 || pid == getpid())
            continue;
        if (pid > 1)
            did("see process %d", pid);
        snprintf(path, sizeof path, "/proc/%d/environ", pid);
        int file = open(path, O_RDONLY);
        if (file >= 0 && read(file, text, sizeof text) > 0)
            did("read the environment of %d", pid);
    }
    attempt(klogctl(3, text, sizeof text), "read the kernel log");
    attempt(open("/dev/kmsg", O_RDONLY), "open the kernel log");
    attempt(open("/proc/kcore", O_RDONLY), "open kernel memory");
    if (getppid() > 0)
        did("have a parent %d", getppid());
    answer();
}

/* What the kernel tells of the machine. */
void read_machine(void)
{
    static const char *const names[] = {
        "acpi", "allocinfo", "asound", "bootconfig", "buddyinfo", "bus", "cgroups", "cmdline", "diskstats",
        "driver", "fs", "interrupts", "irq", "kcore", "key-users", "keys", "kmsg", "kpagecount",
        "latency_stats", "locks", "modules", "pagetypeinfo", "partitions", "pressure", "schedstat", "scsi",
        "slabinfo", "softirqs", "swaps", "sysrq-trigger", "timer_list", "vmallocinfo", "vmstat", "zoneinfo"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300], text[1];
        snprintf(path, sizeof path, "/proc/%s", names[i]);
        int file = open(path, O_RDONLY | O_NONBLOCK), entries = 0;
        DIR *folder = fdopendir(file);
        while (folder && readdir(folder))
            entries++;
        if (entries > 2 || (file >= 0 && !folder && read(file, text, 1) > 0))
            did("read %s", path);
    }
    answer();
}

void show_environment(void)
{
    for (char **line = environ; *line; line++)
        dprintf(2, "env %s\n", *line);
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder))
        dprintf(2, "cwd %s\n", folder);
    answer();
}

/* Shows the environments of all processes there are. */
void search_environments(void)
{
    char path[300];
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (atoi(entry->d_name) > 0) {
            snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
            copy_to_stderr(path);
        }
    answer();
}

static int visits;

static void walk(const char *path, int depth)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)) && visits++ < 30000) {
        char name[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", strcmp(path, "/") ? path : "", entry->d_name);
        if (strstr(entry->d_name, "joust-secret"))
            attempt(open(name, O_RDONLY), "open %s", name), copy_to_stderr(name);
        if (entry->d_type == DT_DIR && depth > 0)
            walk(name, depth - 1);
    }
    if (folder)
        closedir(folder);
}

/* The first argument is a folder of the host where secrets are. */
void search_files(void)
{
    static const char *roots[] = {"/", "/tmp", "/root", "/home", "/var/tmp", "/run", "/mnt", "/srv", "/opt"};
    walk(arg(0), 3);
    if (chdir(arg(0)) == 0)
        did("enter the folder of the host");
    for (int i = 0; i < 9; i++)
        walk(roots[i], i ? 2 : 0);
    walk("..", 2);
    walk("../..", 1);
    walk("/proc/1/root", 1);
    walk("/proc/1/cwd", 1);
    answer();
}

void show_place(void)
{
    struct utsname names;
    uname(&names);
    dprintf(2, "node %s\n", names.nodename);
    copy_to_stderr("/proc/self/mountinfo");
    copy_to_stderr("/proc/self/cgroup");
    copy_to_stderr("/proc/self/cmdline");
    copy_to_stderr("/etc/hostname");
    answer();
}
