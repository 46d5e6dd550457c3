// A small reader of JSON: enough for the files of the game, no errors told.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct Json {
    enum Kind { Null, Bool, Number, Text, List, Object } kind = Null;
    double number = 0;
    std::string text;
    std::vector<Json> list;
    std::map<std::string, Json> fields;

    const Json& operator[](const char* name) const {
        static const Json nothing;
        auto found = fields.find(name);
        return found == fields.end() ? nothing : found->second;
    }

    int integer() const { return static_cast<int>(number); }
    bool is_null() const { return kind == Null; }
    bool is_true() const { return kind == Bool && number != 0; }

    static Json read(const std::string& text) {
        size_t at = 0;
        return value(text, at);
    }

  private:
    static char next(const std::string& text, size_t& at) {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) at++;
        return at < text.size() ? text[at] : '\0';
    }

    static std::string string(const std::string& text, size_t& at) {
        std::string result;
        for (at++; at < text.size() && text[at] != '"'; at++) {
            // No name that is looked for has an escape in it.
            if (text[at] == '\\') at++;
            if (at < text.size()) result += text[at];
        }
        at++;
        return result;
    }

    static Json value(const std::string& text, size_t& at) {
        Json json;
        char first = next(text, at);
        if (first == '{') {
            json.kind = Object;
            at++;
            while (next(text, at) == '"') {
                std::string name = string(text, at);
                if (next(text, at) == ':') at++;
                json.fields[name] = value(text, at);
                if (next(text, at) == ',') at++;
            }
            at++;
        } else if (first == '[') {
            json.kind = List;
            at++;
            while (next(text, at) != ']' && at < text.size()) {
                json.list.push_back(value(text, at));
                if (next(text, at) == ',') at++;
            }
            at++;
        } else if (first == '"') {
            json.kind = Text;
            json.text = string(text, at);
        } else if (first == 't' || first == 'f' || first == 'n') {
            json.kind = first == 'n' ? Null : Bool;
            json.number = first == 't';
            while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at]))) at++;
        } else {
            json.kind = Number;
            char* end = nullptr;
            json.number = std::strtod(text.c_str() + at, &end);
            size_t stop = static_cast<size_t>(end - text.c_str());
            at = stop > at ? stop : at + 1;
        }
        return json;
    }
};
