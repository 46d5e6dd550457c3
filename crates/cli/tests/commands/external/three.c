#include <stdio.h>
int main(void) {
    int stones;
    while (scanf(" stones %d", &stones) == 1) {
        printf("%d\n", stones < 3 ? stones : 3);
        fflush(stdout);
    }
    return 0;
}
