// The map, the bombs on it, and which ways lead through the next rounds alive.
#pragma once

#include <set>
#include <string>
#include <vector>

enum Command { Nothing, Up, Left, Right, Down, Plant, Trigger };

struct Spot {
    int x = 0, y = 0;
    bool operator==(const Spot& other) const { return x == other.x && y == other.y; }
    Spot towards(int command, int steps = 1) const {
        static const int dx[] = {0, 0, -1, 1, 0}, dy[] = {0, -1, 0, 0, 1};
        return {x + dx[command] * steps, y + dy[command] * steps};
    }
};

struct Bomb {
    Spot at;
    int due;  // rounds from now until it explodes
    int radius;
    bool mine;
};

struct Field {
    int side = 0;
    std::vector<char> ground;  // '#', '+' or ' '
    std::vector<Bomb> bombs;
    std::vector<Spot> others;
    Spot me;
    int bag = 1, radius = 1;

    static Field read(const std::string& text, const std::string& key);

    size_t index(Spot spot) const { return static_cast<size_t>(spot.y * (side + 2) + spot.x); }
    char& at(Spot spot) { return ground[index(spot)]; }
    char at(Spot spot) const { return ground[index(spot)]; }
    bool is_free(Spot spot) const;
    bool has_bomb(Spot spot) const;
    int free_bombs() const;

    // The blocks that a bomb covers.
    std::vector<Spot> blast(Spot from, int radius) const;
    // When each bomb explodes, and what burns in each round from now. A bomb in
    // the blast of another explodes with it; what is gone stops no later blast.
    struct Fires {
        std::vector<int> due;
        std::vector<std::vector<char>> burns;
    };
    Fires fires() const;
    // First commands after which nobody need die in the rounds to come; with
    // `first`, only that one is tried.
    std::set<int> lasting(int first = -1) const;
    // This field with a bomb planted here, or with our shortest fuse at its end.
    // Bombs that explode in this round do so before anybody's command.
    Field planted() const;
    Field triggered() const;
};
