/* Answers each view with its first free column. Views end with the line `end`. */
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[256];
    int number = 0, chosen = -1;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "end", 3)) {
            printf("%d\n", chosen);
            fflush(stdout);
            number = 0, chosen = -1;
        } else if (number++ == 1) {
            char *free_one = strchr(line, '.');
            if (free_one) chosen = free_one - line;
        }
    }
    return 0;
}
