// Oracle counts, for every cell, in how many ways the ships that are left could
// lie across it, and shoots where most do.
//
// Arguments: the own key and the folder with state.json; the answer is place.txt
// in phase 1 and command.txt in phase 2, there.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "json.h"

namespace {

const int single_shot = 1;
// How much likelier a place is for every open hit that it explains.
const double hit_weight = 50;
// How many ways to explain the hits are looked at.
const int most_explanations = 200;

struct ShipType {
    const char* name;
    int length;
};
const ShipType ship_types[] = {{"Carrier", 5}, {"Battleship", 4}, {"Cruiser", 3}, {"Submarine", 3}, {"Destroyer", 2}};

int length_of(const std::string& name) {
    for (const ShipType& type : ship_types)
        if (name == type.name) return type.length;
    return 0;
}

// Numbers that are the same for the same seed and round (xorshift over FNV-1a).
struct Dice {
    uint64_t state = 14695981039346656037u;
    explicit Dice(const std::string& text) {
        for (unsigned char byte : text) state = (state ^ byte) * 1099511628211u;
        state |= 1;
    }
    int roll(int sides) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<int>((state >> 33) % static_cast<uint64_t>(sides));
    }
};

// Calls `use` with the indices of every place of a ship in a square of `side` cells.
void for_each_place(int side, int length, const std::function<void(const std::vector<int>&)>& use) {
    for (int x = 0; x < side; x++) {
        for (int y = 0; y < side; y++) {
            std::vector<int> east, north;
            for (int n = 0; n < length; n++) {
                east.push_back((x + n) * side + y);
                north.push_back(x * side + y + n);
            }
            if (x + length <= side) use(east);
            if (y + length <= side) use(north);
        }
    }
}

std::string place(int side, Dice& dice) {
    std::vector<bool> taken(side * side);
    std::string text;
    for (const ShipType& type : ship_types) {
        std::vector<std::vector<int>> places;
        for_each_place(side, type.length, [&](const std::vector<int>& cells) {
            if (std::none_of(cells.begin(), cells.end(), [&](int cell) { return taken[cell]; })) places.push_back(cells);
        });
        const std::vector<int>& cells = places[dice.roll(static_cast<int>(places.size()))];
        for (int cell : cells) taken[cell] = true;
        bool east = cells[1] - cells[0] == side;
        text += std::string(type.name) + " " + std::to_string(cells[0] / side) + " " + std::to_string(cells[0] % side) +
                (east ? " East\n" : " North\n");
    }
    return text;
}

enum Mark { Unknown, Hit, Sunk, Missed, Shielded };

struct Sea {
    int side;
    std::vector<Mark> marks;
    std::vector<int> left, sunk;  // lengths of ships

    explicit Sea(const Json& state) : side(state["MapDimension"].integer()), marks(side * side, Unknown) {
        for (const Json& cell : state["OpponentMap"]["Cells"].list)
            marks[cell["X"].integer() * side + cell["Y"].integer()] = mark_of(cell);
        for (const Json& ship : state["OpponentMap"]["Ships"].list)
            (ship["Destroyed"].is_true() ? sunk : left).push_back(length_of(ship["ShipType"].text));
    }

    static Mark mark_of(const Json& cell) {
        if (cell["Damaged"].is_true()) return Hit;
        if (cell["Missed"].is_true()) return Missed;
        return cell["ShieldHit"].is_true() ? Shielded : Unknown;
    }

    bool all_are(const std::vector<int>& cells, Mark mark) const {
        return std::all_of(cells.begin(), cells.end(), [&](int cell) { return marks[cell] == mark; });
    }
};

// Adds the places of the ships that are left, if they explain all other hits.
void warm(const Sea& sea, std::vector<double>& heat) {
    std::vector<double> added(heat.size(), 0), explained(heat.size(), 0);
    for (int length : sea.left) {
        for_each_place(sea.side, length, [&](const std::vector<int>& cells) {
            double weight = 1;
            for (int cell : cells) weight *= sea.marks[cell] == Hit ? hit_weight : sea.marks[cell] == Missed || sea.marks[cell] == Sunk ? 0 : 1;
            for (int cell : cells) (sea.marks[cell] == Unknown ? added : explained)[cell] += weight;
        });
    }
    for (size_t cell = 0; cell < heat.size(); cell++)
        if (sea.marks[cell] == Hit && explained[cell] == 0) return;
    for (size_t cell = 0; cell < heat.size(); cell++) heat[cell] += added[cell];
}

// Which hits belong to the sunk ships is not told. Goes through all ways to
// explain them, from the ship `next` on, and adds up the heat of each.
void explain(Sea& sea, size_t next, std::vector<double>& heat, int& tries) {
    if (next == sea.sunk.size()) {
        warm(sea, heat);
        tries--;
        return;
    }
    for_each_place(sea.side, sea.sunk[next], [&](const std::vector<int>& cells) {
        if (tries <= 0 || !sea.all_are(cells, Hit)) return;
        for (int cell : cells) sea.marks[cell] = Sunk;
        explain(sea, next + 1, heat, tries);
        for (int cell : cells) sea.marks[cell] = Hit;
    });
}

std::string shoot(const Json& state, Dice& dice) {
    Sea sea(state);
    std::vector<double> heat(sea.marks.size(), 0);
    int tries = most_explanations;
    explain(sea, 0, heat, tries);
    for (size_t cell = 0; cell < heat.size(); cell++)
        if (sea.marks[cell] != Unknown) heat[cell] = -1;
    double most = *std::max_element(heat.begin(), heat.end());
    std::vector<int> best;
    for (size_t cell = 0; cell < heat.size(); cell++)
        if (heat[cell] == most) best.push_back(static_cast<int>(cell));
    int target = best[dice.roll(static_cast<int>(best.size()))];
    return std::to_string(single_shot) + "," + std::to_string(target / sea.side) + "," + std::to_string(target % sea.side) + "\n";
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 1;
    std::string key = arguments[1], folder = arguments[2];
    std::ifstream file(folder + "/state.json", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Json state = Json::read(text);
    int side = state["MapDimension"].integer();
    const char* seed = std::getenv("JOUST_SEED");
    Dice dice(std::string(seed ? seed : "") + " " + key + " " + std::to_string(state["Round"].integer()));
    if (state["Phase"].integer() == 1) std::ofstream(folder + "/place.txt") << place(side, dice);
    else std::ofstream(folder + "/command.txt") << shoot(state, dice);
    return 0;
}
