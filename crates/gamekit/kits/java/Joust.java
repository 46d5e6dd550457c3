// Kit for a referee of Joust in Java 11 or later, without dependencies: copy this file beside
// your program.
//
// A game is an object with a method next. It is called once with null, and then with the answers
// to each ask, by seat, and calls bout.ask or bout.end before it returns. All chance comes from
// bout.seed. What is printed to System.out goes to standard error.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.Function;

final class Joust {
    /** What a bot said; verdict is "ok" if it came in time. */
    static final class Answer {
        final int seat;
        final String verdict, text;
        final long us;

        Answer(Map<String, Object> said) {
            seat = ((Number) said.get("seat")).intValue();
            verdict = (String) said.get("verdict");
            text = (String) said.get("text");
            us = ((Number) said.get("us")).longValue();
        }
    }

    /** One bout of a game. */
    interface Game {
        void next(Bout bout, Map<Integer, Answer> answers);
    }

    /** One bout, and what a referee can say about it. */
    static final class Bout {
        final long number, seed;
        final int seats;
        final Map<String, Object> options;
        private final PrintStream out;
        private int asks;
        private boolean isOver;
        private Game game;
        private Map<Integer, Answer> answers;

        Bout(Map<String, Object> start, PrintStream out) {
            number = ((Number) start.get("b")).longValue();
            seed = Long.parseUnsignedLong((String) start.get("seed"));
            seats = ((Number) start.get("seats")).intValue();
            options = map(start.get("options"));
            this.out = out;
        }

        /** Returns an option that is a whole number. */
        int number(String option) {
            return ((Number) options.get(option)).intValue();
        }

        /**
         * Asks the seats of views; state is the position, or null. With `channel: http` a text is a
         * request, such as "POST /move application/json\n{}", and the text of an answer begins with a
         * line such as "200 application/json".
         */
        void ask(Map<Integer, String> views, String state) {
            List<Object> to = new ArrayList<>();
            new TreeMap<>(views).forEach((seat, text) -> to.add(object("seat", seat, "text", text)));
            say("ask", "n", ++asks, "to", to, "state", state);
        }

        /** Ends the bout; a score for each seat, more is better. Ranks follow from scores. */
        void end(List<? extends Number> scores, String reason, String state) {
            isOver = true;
            say("end", "scores", scores, "reason", reason, "state", state);
        }

        /** Tells seats something, without an answer. */
        void tell(List<Integer> seats, String text) {
            say("tell", "to", seats, "text", text);
        }

        /** Says that an answer was bad, and what happens now. */
        void fault(int seat, String text) {
            String verdict = answers.get(seat).verdict;
            say("fault", "seat", seat, "kind", verdict.equals("ok") ? "illegal" : verdict, "text", text);
        }

        /** Says that a seat plays no longer. */
        void out(int seat, String text) {
            say("out", "seat", seat, "text", text);
        }

        /** Writes a line for the author. */
        void log(String text) {
            say("log", "text", text);
        }

        /** Says a message of any type: keys and values in turn; null leaves a key out. */
        void say(String t, Object... keys) {
            Map<String, Object> said = object("t", t, "b", number);
            said.putAll(object(keys));
            Joust.say(out, said);
        }
    }

    /** Speaks to Joust until standard input ends; start makes the game of a bout. */
    static void serve(String id, String version, List<String> can, Function<Bout, Game> start) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<Long, Bout> bouts = new HashMap<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> heard = map(new Reader(line).value());
            Bout bout = heard.containsKey("b") ? bouts.get(((Number) heard.get("b")).longValue()) : null;
            switch ((String) heard.get("t")) {
                case "hello":
                    say(out, object("t", "game", "protocol", 1, "id", id, "version", version, "can", can));
                    break;
                case "start":
                    bout = new Bout(heard, out);
                    bout.game = start.apply(bout);
                    bouts.put(bout.number, bout);
                    bout.game.next(bout, null);
                    break;
                case "answers":
                    bout.answers = new TreeMap<>();
                    for (Object said : (List<?>) heard.get("of")) {
                        Answer answer = new Answer(map(said));
                        bout.answers.put(answer.seat, answer);
                    }
                    bout.game.next(bout, bout.answers);
                    break;
                case "drop":
                    bout.isOver = true;
                    break;
            }
            if (bout != null && bout.isOver) bouts.remove(bout.number);
            out.flush();
        }
    }

    private static void say(PrintStream out, Object said) {
        StringBuilder line = new StringBuilder();
        write(said, line);
        out.append(line.append('\n'));
    }

    /** Makes an object of JSON: keys and values in turn; null leaves a key out. */
    static Map<String, Object> object(Object... keys) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < keys.length; i += 2) if (keys[i + 1] != null) object.put((String) keys[i], keys[i + 1]);
        return object;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String) {
            out.append('"');
            for (char c : ((String) value).toCharArray()) {
                if (c == '"' || c == '\\') out.append('\\').append(c);
                else if (c < ' ' || c > '~') out.append(String.format("\\u%04x", (int) c));
                else out.append(c);
            }
            out.append('"');
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<String, Object> entry : map(value).entrySet()) {
                write(entry.getKey(), out.append(before));
                write(entry.getValue(), out.append(':'));
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String before = "[";
            for (Object item : (List<?>) value) {
                write(item, out.append(before));
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else {
            out.append(value);
        }
    }

    /** Reads what Joust writes. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Object value() {
            while (" ,:\t".indexOf(text.charAt(at)) >= 0) at++;
            char first = text.charAt(at++);
            if (first == '"') return string();
            if (first == '[') {
                List<Object> list = new ArrayList<>();
                while (text.charAt(at) != ']') list.add(value());
                at++;
                return list;
            }
            if (first == '{') {
                Map<String, Object> map = new LinkedHashMap<>();
                while (text.charAt(at) != '}') map.put((String) value(), value());
                at++;
                return map;
            }
            int start = at - 1;
            while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            return word.matches("-?[0-9]+") ? (Number) Long.parseLong(word) : (Number) Double.parseDouble(word);
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
                if (c == '\\') {
                    c = text.charAt(at++);
                    int escape = "ntrbf".indexOf(c);
                    if (escape >= 0) c = "\n\t\r\b\f".charAt(escape);
                    else if (c == 'u') c = (char) Integer.parseInt(text.substring(at, at += 4), 16);
                }
                out.append(c);
            }
            return out.toString();
        }
    }
}
