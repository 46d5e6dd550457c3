// Connect four: two bots drop discs into columns; a row of four wins.
#include "joust.hpp"

struct Board : joust::Game {
    int columns, rows, connect, discs = 0;
    std::string cells;  // the text that bots see: one line for each row, the top one first

    explicit Board(const joust::Bout &bout)
        : columns(bout.option("columns")), rows(bout.option("rows")), connect(bout.option("connect")) {
        for (int y = 0; y < rows; y++) cells += std::string(columns, '.') + "\n";
    }

    void next(joust::Bout &bout, const joust::Answers &answers) override {
        int seat = discs % 2;
        if (!answers.empty()) {
            int column = read(answers.at(seat));
            if (column >= columns || cells[column] != '.') {
                column = int(cells.find('.'));
                bout.fault(seat, "the disc falls into column " + std::to_string(column));
            }
            int at = column + (rows - 1) * (columns + 1);
            while (cells[at] != '.') at -= columns + 1;
            cells[at] = char('0' + seat), discs++;
            if (is_connected(at)) return bout.end({2.0 - 2 * seat, 2.0 * seat}, "connected", cells);
            if (discs == columns * rows) return bout.end({1, 1}, "board-full", cells);
            seat = 1 - seat;
        } else {
            bout.tell({0, 1}, "board " + std::to_string(columns) + " " + std::to_string(rows));
        }
        bout.ask({{seat, "you " + std::to_string(seat) + "\nconnect " + std::to_string(connect) + "\n" + cells}}, cells);
    }

    // The column that was answered; `columns` where there is none.
    int read(const joust::Answer &answer) const {
        const std::string blank = " \t\n\v\f\r";
        std::size_t first = answer.text.find_first_not_of(blank), last = answer.text.find_last_not_of(blank);
        if (answer.verdict != "ok" || first == std::string::npos) return columns;
        long long column = 0;
        for (std::size_t i = first; i <= last; i++) {
            if (answer.text[i] < '0' || answer.text[i] > '9') return columns;
            column = std::min(column * 10 + answer.text[i] - '0', (long long)columns);
        }
        return int(column);
    }

    bool is_connected(int at) const {
        for (int step : {1, columns, columns + 1, columns + 2}) {
            int count = 1, size = int(cells.size());
            for (int i = at + step; i < size && cells[i] == cells[at]; i += step) count++;
            for (int i = at - step; i >= 0 && cells[i] == cells[at]; i -= step) count++;
            if (count >= connect) return true;
        }
        return false;
    }
};

int main() {
    auto start = [](const joust::Bout &bout) { return std::make_unique<Board>(bout); };
    joust::serve("connect-four-kit", "1", {"bouts", "rejudge"}, start);
}
