#include "field.h"

#include <algorithm>

#include "json.h"

namespace {

// Longer than any fuse.
const int ahead = 12;

Spot spot_of(const Json& thing) {
    return {thing["Location"]["X"].integer(), thing["Location"]["Y"].integer()};
}

bool contains(const std::vector<size_t>& list, size_t item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

void add_block(Field& field, const Json& block, const std::string& key) {
    const std::string& type = block["Entity"]["$type"].text;
    Spot spot = spot_of(block);
    if (type.find("Indestructible") != std::string::npos) field.at(spot) = '#';
    else if (type.find("Destructible") != std::string::npos) field.at(spot) = '+';
    const Json& bomb = block["Bomb"];
    if (bomb.is_null()) return;
    bool mine = bomb["Owner"]["Key"].text == key;
    field.bombs.push_back({spot, bomb["BombTimer"].integer(), bomb["BombRadius"].integer(), mine});
}

}  // namespace

Field Field::read(const std::string& text, const std::string& key) {
    Json state = Json::read(text);
    Field field;
    field.side = state["MapWidth"].integer();
    field.ground.assign((field.side + 2) * (field.side + 2), '#');
    for (int y = 1; y <= field.side; y++)
        for (int x = 1; x <= field.side; x++) field.at({x, y}) = ' ';
    for (const Json& column : state["GameBlocks"].list)
        for (const Json& block : column.list) add_block(field, block, key);
    for (const Json& player : state["RegisteredPlayerEntities"].list) {
        if (player["Key"].text == key) {
            field.me = spot_of(player);
            field.bag = player["BombBag"].integer();
            field.radius = player["BombRadius"].integer();
        } else if (!player["Killed"].is_true()) {
            field.others.push_back(spot_of(player));
        }
    }
    return field;
}

bool Field::has_bomb(Spot spot) const {
    return std::any_of(bombs.begin(), bombs.end(), [&](const Bomb& bomb) { return bomb.at == spot; });
}

bool Field::is_free(Spot spot) const {
    return at(spot) == ' ' && std::find(others.begin(), others.end(), spot) == others.end();
}

int Field::free_bombs() const {
    auto ours = [](const Bomb& bomb) { return bomb.mine; };
    return bag - static_cast<int>(std::count_if(bombs.begin(), bombs.end(), ours));
}

std::vector<Spot> Field::blast(Spot from, int reach) const {
    std::vector<Spot> covered{from};
    for (int way = Up; way <= Down; way++) {
        for (int n = 1; n <= reach; n++) {
            Spot spot = from.towards(way, n);
            if (at(spot) == '#') break;
            covered.push_back(spot);
            if (at(spot) == '+' || has_bomb(spot)) break;
        }
    }
    return covered;
}

Field::Fires Field::fires() const {
    Fires fires;
    fires.due.assign(bombs.size(), ahead + 1);
    fires.burns.assign(ahead + 1, std::vector<char>(ground.size(), 0));
    Field left = *this;  // what is still there in round n
    std::vector<size_t> number(bombs.size());
    for (size_t i = 0; i < bombs.size(); i++) number[i] = i;
    for (int n = 1; n <= ahead; n++) {
        std::vector<size_t> exploding;
        for (size_t i = 0; i < left.bombs.size(); i++)
            if (left.bombs[i].due <= n) exploding.push_back(i);
        for (size_t at = 0; at < exploding.size(); at++) {
            const Bomb& bomb = left.bombs[exploding[at]];
            for (Spot spot : left.blast(bomb.at, bomb.radius)) {
                fires.burns[n][index(spot)] = 1;
                for (size_t j = 0; j < left.bombs.size(); j++)
                    if (left.bombs[j].at == spot && !contains(exploding, j)) exploding.push_back(j);
            }
        }
        std::sort(exploding.rbegin(), exploding.rend());
        for (size_t i : exploding) {
            fires.due[number[i]] = n;
            left.bombs.erase(left.bombs.begin() + static_cast<long>(i));
            number.erase(number.begin() + static_cast<long>(i));
        }
        for (size_t i = 0; i < ground.size(); i++)
            if (fires.burns[n][i] && left.ground[i] == '+') left.ground[i] = ' ';
    }
    return fires;
}

std::set<int> Field::lasting(int first) const {
    const size_t blocks = ground.size();
    const Fires all = fires();
    const auto& burns = all.burns;
    std::vector<int> blocked(blocks, 0);
    for (size_t i = 0; i < bombs.size(); i++) blocked[index(bombs[i].at)] = all.due[i];
    // For each block the set of first commands, a bit each, that may lead there.
    std::vector<unsigned> edge(blocks, 0);
    edge[index(me)] = 1;
    for (int n = 1; n <= ahead; n++) {
        std::vector<unsigned> reached(blocks, 0);
        for (int y = 1; y <= side; y++) {
            for (int x = 1; x <= side; x++) {
                unsigned firsts = edge[index({x, y})];
                if (!firsts || burns[n][index({x, y})]) continue;
                for (int way = Nothing; way <= Down; way++) {
                    if (n == 1 && first >= 0 && way != Nothing) break;
                    Spot spot = Spot{x, y}.towards(way);
                    if (burns[n][index(spot)]) continue;
                    if (way != Nothing && (!is_free(spot) || blocked[index(spot)] >= n)) continue;
                    reached[index(spot)] |= n > 1 ? firsts : 1u << (first >= 0 ? first : way);
                }
            }
        }
        edge = reached;
    }
    std::set<int> commands;
    for (unsigned firsts : edge)
        for (int command = Nothing; command <= Trigger; command++)
            if (firsts >> command & 1) commands.insert(command);
    return commands;
}

Field Field::planted() const {
    Field next = *this;
    next.bombs.push_back({me, 2 + std::min(9, 3 * bag), radius, true});
    return next;
}

Field Field::triggered() const {
    Field next = *this;
    const std::vector<int> due = fires().due;
    Bomb* shortest = nullptr;
    for (size_t i = 0; i < bombs.size(); i++)
        if (bombs[i].mine && due[i] > 1 && (!shortest || bombs[i].due < shortest->due)) shortest = &next.bombs[i];
    if (shortest) shortest->due = std::min(shortest->due, 2);
    return next;
}
