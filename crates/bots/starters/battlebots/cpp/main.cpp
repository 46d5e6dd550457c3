// A starter bot for BattleBots: it walks up to the other bot and
// shoots from up to 8 squares.
//
// Joust starts this program once per turn. The last argument is the view:
//
//     ten lines of ten characters: . empty, Y you, X the other bot,
//         B bullet, M missile, L land mine
//     Y hp=10             your hit points
//     X hp=10             the other bot's
//     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
//     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
//     L x=6 y=0           ... per land mine (costs 2, splash 1)
//
// x grows to the east, y to the south, (0, 0) is the upper left corner.
//
// Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
// missile or mine, any direction); P (nobody moves for two turns, costs you 1).
// Anything else does nothing. `joust rules battlebots` has the whole story.
#include <cstdlib>
#include <iostream>
#include <string>

struct Square {
    int x = -1, y = -1;
    bool known() const { return x >= 0; }
};

// Every line of the arena has ten characters and a line end.
Square find(const std::string& view, char symbol) {
    std::size_t offset = view.find(symbol);
    if (offset >= 110) return {};
    return {static_cast<int>(offset % 11), static_cast<int>(offset / 11)};
}

std::string direction(int dx, int dy) {
    std::string north_south = dy < 0 ? "N" : dy > 0 ? "S" : "";
    std::string east_west = dx < 0 ? "W" : dx > 0 ? "E" : "";
    return north_south + east_west;
}

std::string choose(const std::string& view) {
    Square me = find(view, 'Y'), foe = find(view, 'X');
    if (!me.known() || !foe.known()) return "NO";
    int dx = foe.x - me.x, dy = foe.y - me.y;
    std::string towards = direction(dx, dy);
    // Your ideas go here. Is a bullet coming? Is a mine in the way?
    bool aligned = dx == 0 || dy == 0 || std::abs(dx) == std::abs(dy);
    bool near = std::abs(dx) <= 8 && std::abs(dy) <= 8;
    return aligned && near ? "B " + towards : towards;
}

int main(int argc, char** argv) {
    std::cout << choose(argc > 1 ? argv[argc - 1] : "") << "\n";
}
