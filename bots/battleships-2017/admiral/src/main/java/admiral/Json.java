package admiral;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small reader of JSON: enough for the files of the game, no errors told. */
final class Json {
    private static final Json NOTHING = new Json();

    private final Map<String, Json> fields = new LinkedHashMap<>();
    /** The items of a list. */
    final List<Json> items = new ArrayList<>();
    /** The text of a string, or the word of anything else that has no parts. */
    private String text = "";

    static Json read(String text) {
        return new Reader(text).value();
    }

    /** The field of that name; an empty value where there is none. */
    Json get(String name) {
        return fields.getOrDefault(name, NOTHING);
    }

    String text() {
        return text;
    }

    boolean isTrue() {
        return text.equals("true");
    }

    int integer() {
        try {
            return (int) Double.parseDouble(text);
        } catch (NumberFormatException error) {
            return 0;
        }
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        private char next() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private void skip(char symbol) {
            if (next() == symbol) {
                at++;
            }
        }

        private Json value() {
            Json json = new Json();
            switch (next()) {
                case '{':
                    at++;
                    while (next() == '"') {
                        String name = string();
                        skip(':');
                        json.fields.put(name, value());
                        skip(',');
                    }
                    skip('}');
                    break;
                case '[':
                    at++;
                    while (at < text.length() && next() != ']') {
                        json.items.add(value());
                        skip(',');
                    }
                    skip(']');
                    break;
                case '"':
                    json.text = string();
                    break;
                default:
                    json.text = word();
            }
            return json;
        }

        private String word() {
            int start = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            return text.substring(start, at);
        }

        /** A string. No name that is looked for has an escape in it. */
        private String string() {
            StringBuilder result = new StringBuilder();
            for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
                at += text.charAt(at) == '\\' && at + 1 < text.length() ? 1 : 0;
                result.append(text.charAt(at));
            }
            at++;
            return result.toString();
        }
    }
}
