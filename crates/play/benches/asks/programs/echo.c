/* Gives back what it reads. */
#include <unistd.h>

int main(void) {
    char bytes[65536];
    for (;;) {
        ssize_t got = read(0, bytes, sizeof bytes);
        if (got <= 0 || write(1, bytes, got) != got) return 0;
    }
}
