// Kit for a referee of Joust in C++17, without dependencies: copy this file beside your program.
//
// A game is an object with a method next. It is called once without answers, and then with the
// answers to each ask, by seat, and calls bout.ask or bout.end before it returns. All chance comes
// from bout.seed. Write to std::cerr what is not for Joust.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace joust {

// Returns a text as JSON.
inline std::string quoted(const std::string &text) {
    std::string out = "\"";
    char escape[8];
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') out += '\\', out += c;
        else if (c < ' ') std::snprintf(escape, sizeof escape, "\\u%04x", c), out += escape;
        else out += c;
    }
    return out + "\"";
}

// A value of JSON, as Joust writes it.
struct Json {
    std::string text;  // of a text, a number, true, false, null
    std::vector<Json> list;
    std::map<std::string, Json> map;

    const Json &operator[](const std::string &key) const { return map.at(key); }
    long long number() const { return std::strtoll(text.c_str(), nullptr, 10); }
    double real() const { return std::strtod(text.c_str(), nullptr); }

    static Json read(const std::string &line) {
        std::size_t at = 0;
        return value(line, at);
    }

  private:
    static Json value(const std::string &line, std::size_t &at) {
        Json json;
        while (std::string(" ,:\t").find(line.at(at)) != std::string::npos) at++;
        char first = line.at(at++);
        if (first == '"') {
            json.text = string(line, at);
        } else if (first == '[') {
            while (line.at(at) != ']') json.list.push_back(value(line, at));
            at++;
        } else if (first == '{') {
            while (line.at(at) != '}') {
                std::string key = value(line, at).text;
                json.map[key] = value(line, at);
            }
            at++;
        } else {
            std::size_t end = line.find_first_of(",]}", at);
            json.text = line.substr(at - 1, end - at + 1);
            at = end;
        }
        return json;
    }

    // Joust writes nothing beyond these escapes; \u for control characters alone.
    static std::string string(const std::string &line, std::size_t &at) {
        std::string out;
        for (char c = line.at(at++); c != '"'; c = line.at(at++)) {
            if (c == '\\') {
                c = line.at(at++);
                std::size_t escape = std::string("ntrbf").find(c);
                if (escape != std::string::npos) c = "\n\t\r\b\f"[escape];
                else if (c == 'u') c = char(std::stoi(line.substr(at, 4), nullptr, 16)), at += 4;
            }
            out += c;
        }
        return out;
    }
};

// What a bot said; verdict is "ok" if it came in time.
struct Answer {
    std::string verdict, text;
    long long us = 0;
};

using Answers = std::map<int, Answer>;

struct Bout;

// One bout of a game.
struct Game {
    virtual ~Game() = default;
    virtual void next(Bout &bout, const Answers &answers) = 0;
};

// One bout, and what a referee can say about it.
struct Bout {
    long long number;
    std::uint64_t seed;
    int seats;
    Json options;
    int asks = 0;
    bool is_over = false;
    Answers answers;
    std::unique_ptr<Game> game;

    // Returns an option that is a whole number.
    int option(const std::string &name) const { return int(options[name].number()); }

    // Asks the seats of views, seat to text; state is the position. With `channel: http` a text is a
    // request, such as "POST /move application/json\n{}", and the text of an answer begins with a
    // line such as "200 application/json".
    void ask(const std::map<int, std::string> &views, const std::string &state) {
        std::string to;
        for (auto &[seat, text] : views)
            to += (to.empty() ? "" : ",") + ("{\"seat\":" + std::to_string(seat)) + ",\"text\":" + quoted(text) + "}";
        say("ask", "\"n\":" + std::to_string(++asks) + ",\"to\":[" + to + "],\"state\":" + quoted(state));
    }

    // Ends the bout; a score for each seat, more is better. Ranks follow from scores.
    void end(const std::vector<double> &scores, const std::string &reason, const std::string &state) {
        std::string list;
        for (double score : scores) list += (list.empty() ? "" : ",") + std::to_string(score);
        is_over = true;
        say("end", "\"scores\":[" + list + "],\"reason\":" + quoted(reason) + ",\"state\":" + quoted(state));
    }

    // Tells seats something, without an answer.
    void tell(const std::vector<int> &seats, const std::string &text) {
        std::string to;
        for (int seat : seats) to += (to.empty() ? "" : ",") + std::to_string(seat);
        say("tell", "\"to\":[" + to + "],\"text\":" + quoted(text));
    }

    // Says that an answer was bad, and what happens now.
    void fault(int seat, const std::string &text) {
        std::string verdict = answers.at(seat).verdict, kind = verdict == "ok" ? "illegal" : verdict;
        say("fault", "\"seat\":" + std::to_string(seat) + ",\"kind\":\"" + kind + "\",\"text\":" + quoted(text));
    }

    // Says that a seat plays no longer.
    void out(int seat, const std::string &text) {
        say("out", "\"seat\":" + std::to_string(seat) + ",\"text\":" + quoted(text));
    }

    // Writes a line for the author.
    void log(const std::string &text) { say("log", "\"text\":" + quoted(text)); }

    // Says a message of any type; keys is JSON: "a":1,"b":[].
    void say(const std::string &t, const std::string &keys) {
        std::cout << "{\"t\":\"" << t << "\",\"b\":" << number << ',' << keys << "}\n";
    }
};

// Speaks to Joust until standard input ends; start makes the game of a bout.
inline void serve(const std::string &id, const std::string &version, const std::vector<std::string> &can,
                  const std::function<std::unique_ptr<Game>(const Bout &)> &start) {
    std::ios::sync_with_stdio(false);
    std::map<long long, Bout> bouts;
    for (std::string line; std::getline(std::cin, line); std::cout.flush()) {
        Json heard = Json::read(line);
        const std::string &t = heard["t"].text;
        long long number = heard.map.count("b") ? heard["b"].number() : 0;
        if (t == "hello") {
            std::string list;
            for (auto &one : can) list += (list.empty() ? "" : ",") + quoted(one);
            std::cout << "{\"t\":\"game\",\"protocol\":1,\"id\":" << quoted(id) << ",\"version\":" << quoted(version)
                      << ",\"can\":[" << list << "]}\n";
        } else if (t == "start") {
            std::uint64_t seed = std::strtoull(heard["seed"].text.c_str(), nullptr, 10);
            Bout &bout = bouts[number];
            bout.number = number, bout.seed = seed;
            bout.seats = int(heard["seats"].number()), bout.options = heard["options"];
            bout.game = start(bout);
            bout.game->next(bout, {});
        } else if (t == "answers") {
            Bout &bout = bouts.at(number);
            bout.answers.clear();
            for (const Json &said : heard["of"].list)
                bout.answers[int(said["seat"].number())] = {said["verdict"].text, said["text"].text, said["us"].number()};
            bout.game->next(bout, bout.answers);
        } else if (t == "drop") {
            bouts.erase(number);
        }
        auto under = bouts.find(number);
        if (under != bouts.end() && under->second.is_over) bouts.erase(under);
    }
}

}  // namespace joust
