/* Does nothing, but reads its input as a bot would: Joust times it. */
#include <dirent.h>
#include <stdio.h>

static void read_file(const char *folder, const char *name) {
    char path[4096], block[65536];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return;
    while (fread(block, 1, sizeof block, file) > 0) {
    }
    fclose(file);
}

static void write_file(const char *folder, const char *name, const char *nothing) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return;
    FILE *file = fopen(path, "wb");
    if (file == NULL) return;
    fputs(nothing, file);
    fclose(file);
}

/* Line ends of the request: reading it is part of what is timed. */
static unsigned count_lines(const char *request) {
    unsigned lines = 0;
    for (; *request; request++) lines += *request == '\n';
    return lines;
}

int main(int argc, char **argv) {
    const char *request = argc > 1 ? argv[argc - 1] : "";
    DIR *folder = opendir(request);
    volatile unsigned lines = 0;
    if (folder == NULL) {
        lines = count_lines(request);
    } else {
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
            if (entry->d_name[0] != '.') read_file(request, entry->d_name);
        closedir(folder);
        write_file(request, "move.txt", "0\n");
        write_file(request, "command.txt", "0,0,0\n");
    }
    (void)lines;
    puts("NO");
    return 0;
}
