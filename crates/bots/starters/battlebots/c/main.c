/* A starter bot for BattleBots: it walks up to the other bot and
 * shoots from up to 7 squares.
 *
 * Joust starts this program once per turn. The last argument is the view:
 *
 *     ten lines of ten characters: . empty, Y you, X the other bot,
 *         B bullet, M missile, L land mine
 *     Y hp=10             your hit points
 *     X hp=10             the other bot's
 *     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
 *     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
 *     L x=6 y=0           ... per land mine (costs 2, splash 1)
 *
 * x grows to the east, y to the south, (0, 0) is the upper left corner.
 *
 * Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
 * missile or mine, any direction); P (nobody moves for two turns, costs you 1).
 * Anything else does nothing. `joust rules battlebots` has the whole story.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 10

/* Sets x and y to where the symbol is; returns 0 when it is nowhere. Every
 * line of the arena has ten characters and a line end. */
static int find(const char *view, char symbol, int *x, int *y) {
    size_t length = strlen(view);
    for (size_t i = 0; i < 11 * SIZE && i < length; i++)
        if (view[i] == symbol) {
            *x = (int)(i % 11);
            *y = (int)(i / 11);
            return 1;
        }
    return 0;
}

static void print_action(const char *weapon, int dx, int dy) {
    const char *north_south = dy < 0 ? "N" : dy > 0 ? "S" : "";
    const char *east_west = dx < 0 ? "W" : dx > 0 ? "E" : "";
    printf("%s%s%s\n", weapon, north_south, east_west);
}

int main(int argc, char **argv) {
    const char *view = argv[argc - 1];
    int x, y, foe_x, foe_y;
    if (argc < 2 || !find(view, 'Y', &x, &y) || !find(view, 'X', &foe_x, &foe_y)) {
        puts("NO");
        return 0;
    }
    int dx = foe_x - x, dy = foe_y - y;
    int aligned = dx == 0 || dy == 0 || abs(dx) == abs(dy);
    /* Your ideas go here. Is a bullet coming? Is a mine in the way? */
    int near = abs(dx) <= 7 && abs(dy) <= 7;
    print_action(aligned && near ? "B " : "", dx, dy);
    return 0;
}
