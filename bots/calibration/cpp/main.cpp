// Does nothing, but reads its input as a bot would: Joust times it.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace {

void read_every_file(const std::filesystem::path& folder) {
    std::error_code problem;
    for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
        if (!entry.is_regular_file(problem)) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
    }
}

void write_nothing(const std::filesystem::path& folder) {
    std::ofstream(folder / "move.txt") << "0\n";
    std::ofstream(folder / "command.txt") << "0,0,0\n";
}

std::vector<std::string> lines_of(const std::string& request) {
    std::istringstream text(request);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string request = argc > 1 ? argv[argc - 1] : "";
    std::error_code problem;
    if (std::filesystem::is_directory(request, problem)) {
        read_every_file(request);
        write_nothing(request);
    } else {
        lines_of(request);
    }
    std::cout << "NO\n";
}
