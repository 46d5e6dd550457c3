/*
 * A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
 *
 * Joust starts this program once per bout. It connects to the game, registers when it
 * reads INIT, learns the map, and sends one action after each TICK:
 *
 *     ACTION UP | DOWN | LEFT | RIGHT | BOMB
 *
 * `joust rules uwcs-bomberman` has every line that the game sends, and the whole story.
 */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE 99
#define PLAYERS 6

static const char *const words[] = {"UP", "DOWN", "LEFT", "RIGHT"};
static const int steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

struct player {
    char name[128];
    int row, column, alive;
};

static char grid[SIZE][SIZE]; /* '0' free, '1' rock, '2' pillar */
static int rows, columns;
static struct player players[PLAYERS];
static int player_count;
static char name[32];

static struct player *find(const char *wanted) {
    for (int i = 0; i < player_count; i++)
        if (players[i].alive && strcmp(players[i].name, wanted) == 0)
            return &players[i];
    return NULL;
}

static int is_free(int row, int column) {
    return row >= 0 && row < rows && column >= 0 && column < columns && grid[row][column] == '0';
}

/* Returns an action. */
static const char *choose(const struct player *me) {
    /* Your ideas go here. Where are bombs? Who is near? Is there a way out? */
    const char *open[4];
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (is_free(me->row + steps[i][0], me->column + steps[i][1]))
            open[count++] = words[i];
    return count == 0 ? "UP" : open[rand() % count];
}

/* Plays an action of the turn that is over. */
static void follow(struct player *who, const char *action) {
    for (int i = 0; who != NULL && i < 4; i++)
        if (strcmp(words[i], action) == 0 && is_free(who->row + steps[i][0], who->column + steps[i][1])) {
            who->row += steps[i][0];
            who->column += steps[i][1];
            return;
        }
}

static const char *setting(const char *variable, const char *otherwise) {
    const char *value = getenv(variable);
    return value != NULL ? value : otherwise;
}

static int join(void) {
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(setting("JOUST_HOST", "uwcs.co.uk"), setting("JOUST_PORT", "8037"), &hints, &found) != 0)
        return -1;
    int stream = socket(found->ai_family, found->ai_socktype, 0), on = 1;
    if (stream < 0 || connect(stream, found->ai_addr, found->ai_addrlen) != 0)
        return -1;
    freeaddrinfo(found);
    setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return stream;
}

static void read_map(FILE *in, char *line, int length) {
    for (int row = 0; row < rows && fgets(line, length, in) != NULL; row++)
        for (int column = 0; column < columns && 2 * column < (int)strlen(line); column++)
            grid[row][column] = line[2 * column];
}

static void read_players(FILE *in, char *line, int length, int count) {
    player_count = 0;
    while (count-- > 0 && fgets(line, length, in) != NULL) {
        struct player *one = &players[player_count];
        if (player_count < PLAYERS && sscanf(line, "%127s %d %d", one->name, &one->row, &one->column) == 3) {
            one->alive = 1;
            player_count++;
        }
    }
}

int main(void) {
    unsigned long long seed = strtoull(setting("JOUST_SEED", "1"), NULL, 10);
    char line[4096], word[32], action[32], who[128];
    int count, second;
    signal(SIGPIPE, SIG_IGN);
    srand((unsigned)(seed ^ seed >> 32));
    snprintf(name, sizeof name, "starter-%llu", seed % 100000);
    int stream = join();
    if (stream < 0) {
        perror("no game");
        return 1;
    }
    FILE *in = fdopen(stream, "r");
    /* A connection that is lost is a game that is over. */
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        count = second = 0;
        word[0] = '\0';
        sscanf(line, "%31s %d %d", word, &count, &second);
        if (strcmp(word, "INIT") == 0) {
            dprintf(stream, "REGISTER %s secret\n", name);
        } else if (strcmp(word, "MAP") == 0) {
            rows = count < SIZE ? count : SIZE;
            columns = second < SIZE ? second : SIZE;
            read_map(in, line, sizeof line);
        } else if (strcmp(word, "PLAYERS") == 0) {
            read_players(in, line, sizeof line, count);
        } else if (strcmp(word, "ACTIONS") == 0) {
            while (count-- > 0 && fgets(line, sizeof line, in) != NULL)
                if (sscanf(line, "%127s %31s", who, action) == 2)
                    follow(find(who), action);
        } else if (strcmp(word, "DEAD") == 0) {
            while (count-- > 0 && fgets(line, sizeof line, in) != NULL)
                if (sscanf(line, "%127s", who) == 1 && find(who) != NULL)
                    find(who)->alive = 0;
        } else if (strcmp(word, "TICK") == 0 && find(name) != NULL) {
            dprintf(stream, "ACTION %s\n", choose(find(name)));
        }
    }
    return 0;
}
