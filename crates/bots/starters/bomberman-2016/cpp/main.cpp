// A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.
//
// Joust starts this program once per round with two arguments: your key and a folder.
// The folder holds `state.json` and `map.txt`; leave your move there in `move.txt`:
// 1 up, 2 left, 3 right, 4 down, 5 plant a bomb, 6 set your oldest bomb off, 0 nothing.
// `joust rules bomberman-2016` has the whole story.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Bomb { int x, y, radius; };
const int STEPS[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};

struct Map {
    std::vector<std::string> grid;
    std::vector<Bomb> bombs;
    int round = 0;
    bool may_plant = false;

    Map(const std::string& path, char key) {
        std::ifstream file(path);
        char owner = 0;
        for (std::string line; std::getline(file, line);) {
            if (!line.empty() && line.back() == '\r') line.pop_back();
            if (line[0] == '#') grid.push_back(line);
            const auto at = line.find("Current Round: ");
            if (at != std::string::npos) round = std::atoi(line.c_str() + at + 15);
            if (line.rfind("Key: ", 0) == 0) owner = line[5];
            if (line.rfind("Bombs:", 0) == 0) read_bombs(line, owner == key);
        }
    }

    void read_bombs(const std::string& line, bool own) {
        if (own) may_plant = line.find('{') == std::string::npos;
        for (auto at = line.find('{'); at != std::string::npos; at = line.find('{', at + 1)) {
            Bomb bomb;
            int fuse;
            if (std::sscanf(line.c_str() + at, "{x:%d,y:%d,fuse:%d,radius:%d}", &bomb.x, &bomb.y, &fuse, &bomb.radius) == 4)
                bombs.push_back(bomb);
        }
    }

    char symbol(int x, int y) const { return grid[y - 1][x - 1]; }
    bool is_free(int x, int y) const { return std::string(" &!$").find(symbol(x, y)) != std::string::npos; }

    bool is_safe(int x, int y) const {
        for (const Bomb& bomb : bombs)
            if ((x == bomb.x && std::abs(y - bomb.y) <= bomb.radius) || (y == bomb.y && std::abs(x - bomb.x) <= bomb.radius))
                return false;
        return true;
    }

    int rate(int x, int y) const {
        int rating = is_safe(x, y) ? 4 : 0;
        for (const auto& step : STEPS) rating += is_free(x + step[0], y + step[1]) && is_safe(x + step[0], y + step[1]);
        return rating;
    }

    int choose(int x, int y, int luck) const {
        // Your ideas go here. What is worth walking to? Can you shut somebody in?
        bool walls = false;
        for (const auto& step : STEPS) walls = walls || symbol(x + step[0], y + step[1]) == '+';
        if (is_safe(x, y) && walls && may_plant && luck % 3 == 0) return 5;
        int best = rate(x, y), move = 0;
        for (int turn = 0; turn < 4; turn++) {
            const int number = (turn + luck) % 4;
            const int to_x = x + STEPS[number][0], to_y = y + STEPS[number][1];
            if (!is_free(to_x, to_y) || rate(to_x, to_y) < best) continue;
            best = rate(to_x, to_y);
            move = number + 1;
        }
        return move;
    }
};

}  // namespace

int main(int, char** argv) {
    const char key = argv[1][0];
    const std::string folder = argv[2];
    const Map map(folder + "/map.txt", key);
    const char* seed = std::getenv("JOUST_SEED");
    const int luck = static_cast<int>(std::strtoull(seed ? seed : "0", nullptr, 10) % 1000) + 7 * map.round;
    int move = 0;
    for (int y = 1; y <= static_cast<int>(map.grid.size()); y++)
        for (int x = 1; x <= static_cast<int>(map.grid[y - 1].size()); x++)
            if (std::toupper(static_cast<unsigned char>(map.symbol(x, y))) == key) move = map.choose(x, y, luck);
    std::ofstream(folder + "/move.txt") << move;
}
