// Hunter takes the shortest way to the nearest player, through walls if need be,
// plants next to it and sets its bombs off as soon as it is out of their reach.
//
// Arguments: the own key and the folder with state.json; the answer is the first
// character of move.txt there.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <queue>

#include "field.h"

namespace {

const int far_away = 1 << 20;
// Rounds that a wall in the way costs: planting, stepping back, coming again.
const int wall_cost = 8;

// The rounds from every block to the nearest other player.
std::vector<int> distances(const Field& field) {
    std::vector<int> rounds(field.ground.size(), far_away);
    auto index = [&](Spot spot) { return static_cast<int>(field.index(spot)); };
    using Entry = std::pair<int, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
    for (Spot spot : field.others) {
        rounds[index(spot)] = 0;
        queue.push({0, index(spot)});
    }
    while (!queue.empty()) {
        const int passed = queue.top().first, here = queue.top().second;
        queue.pop();
        if (passed > rounds[here]) continue;
        Spot spot{here % (field.side + 2), here / (field.side + 2)};
        int cost = passed + (field.at(spot) == '+' ? wall_cost : 1);
        for (int way = Up; way <= Down; way++) {
            Spot next = spot.towards(way);
            if (field.at(next) == '#' || rounds[index(next)] <= cost) continue;
            rounds[index(next)] = cost;
            queue.push({cost, index(next)});
        }
    }
    return rounds;
}

bool reaches_somebody(const Field& field) {
    for (Spot spot : field.blast(field.me, field.radius))
        if (std::find(field.others.begin(), field.others.end(), spot) != field.others.end()) return true;
    return false;
}

int choose(const Field& field) {
    std::set<int> lasting = field.lasting();
    std::vector<int> rounds = distances(field);
    auto left = [&](Spot spot) { return rounds[field.index(spot)]; };
    auto through = [&](Spot spot) { return left(spot) + (field.at(spot) == '+' ? wall_cost : 1); };

    // The step towards the prey, walls not minded.
    int ahead = Nothing, nearest = left(field.me) + 1;
    for (int way = Up; way <= Down; way++) {
        Spot next = field.me.towards(way);
        if (field.at(next) == '#' || through(next) >= nearest) continue;
        nearest = through(next);
        ahead = way;
    }
    bool wall_ahead = ahead != Nothing && field.at(field.me.towards(ahead)) == '+';
    bool can_plant = field.free_bombs() > 0 && !field.has_bomb(field.me);
    if (can_plant && (reaches_somebody(field) || wall_ahead) && !field.planted().lasting(Plant).empty())
        return Plant;

    bool has_bombs = field.free_bombs() < field.bag;
    if (has_bombs && lasting.count(Nothing)) {
        Field next = field.triggered();
        bool sooner = next.fires().due != field.fires().due;
        if (sooner && !next.lasting(Trigger).empty()) return Trigger;
    }

    int best = Nothing, least = far_away * 2;
    for (int command : lasting) {
        Spot spot = field.me.towards(command);
        int value = 2 * left(spot) + (command == Nothing ? 1 : 0);
        if (value < least) {
            least = value;
            best = command;
        }
    }
    return best;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 1;
    std::string key = arguments[1], folder = arguments[2];
    std::ifstream file(folder + "/state.json", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::ofstream(folder + "/move.txt") << choose(Field::read(text, key)) << "\n";
    return 0;
}
