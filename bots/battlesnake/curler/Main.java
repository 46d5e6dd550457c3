import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Curler circles behind its own tail, which always moves away, and leaves it to eat when it is hungry. */
public final class Main {
    private static final String[] MOVES = {"up", "right", "down", "left"};
    private static final int[] DX = {0, 1, 0, -1};
    private static final int[] DY = {1, 0, -1, 0};
    /** Health below which it looks for food. */
    private static final int HUNGRY = 35;
    /** Length from which its circle has room for others' mistakes. */
    private static final int LONG = 8;
    private static final int FAR = 1000;

    private final int width;
    private final int height;
    private final int health;
    private final List<Point> body;
    private final Set<Point> food;
    private final Set<Point> hazards;
    private final Set<Point> taken = new HashSet<>();
    private final Set<Point> feared = new HashSet<>();

    private record Point(int x, int y) {
        Point next(int move) {
            return new Point(x + DX[move], y + DY[move]);
        }
    }

    private Main(Map<?, ?> state) {
        Map<?, ?> board = (Map<?, ?>) state.get("board");
        Map<?, ?> you = (Map<?, ?>) state.get("you");
        width = number(board, "width");
        height = number(board, "height");
        health = number(you, "health");
        food = new HashSet<>(points(board.get("food")));
        hazards = new HashSet<>(points(board.get("hazards")));
        body = points(you.get("body"));
        for (Object one : (List<?>) board.get("snakes")) {
            List<Point> other = points(((Map<?, ?>) one).get("body"));
            taken.addAll(other.subList(0, other.size() - 1));
            if (other.get(0).equals(body.get(0)) || other.size() < body.size()) continue;
            for (int move = 0; move < MOVES.length; move++) feared.add(other.get(0).next(move));
        }
    }

    private static int number(Object map, String key) {
        return ((Number) ((Map<?, ?>) map).get(key)).intValue();
    }

    private static List<Point> points(Object list) {
        List<Point> points = new ArrayList<>();
        for (Object one : (List<?>) list) points.add(new Point(number(one, "x"), number(one, "y")));
        return points;
    }

    private boolean isFree(Point at) {
        return at.x >= 0 && at.x < width && at.y >= 0 && at.y < height && !taken.contains(at);
    }

    private String choose() {
        boolean eats = health < HUNGRY || body.size() < LONG;
        Set<Point> tail = Set.of(body.get(body.size() - 1));
        String best = "up";
        int least = Integer.MAX_VALUE;
        for (int move = 0; move < MOVES.length; move++) {
            Point at = body.get(0).next(move);
            if (!isFree(at)) continue;
            int cost = 4 * way(at, tail) / FAR * FAR + way(at, eats ? food : tail);
            if (feared.contains(at)) cost += 2 * FAR;
            if (hazards.contains(at)) cost += FAR / 2;
            if (!eats && food.contains(at)) cost += FAR / 4;
            if (cost < least) {
                least = cost;
                best = MOVES[move];
            }
        }
        return best;
    }

    /** Returns the number of steps to the nearest of some squares. */
    private int way(Point start, Set<Point> targets) {
        Map<Point, Integer> ways = new HashMap<>(Map.of(start, 0));
        Deque<Point> waiting = new ArrayDeque<>(List.of(start));
        while (!waiting.isEmpty()) {
            Point at = waiting.remove();
            if (targets.contains(at)) return ways.get(at);
            for (int move = 0; move < MOVES.length; move++) {
                Point next = at.next(move);
                if (isFree(next) && ways.putIfAbsent(next, ways.get(at) + 1) == null) waiting.add(next);
            }
        }
        return FAR;
    }

    /** Reads JSON: maps, lists, texts and numbers; null for anything else. */
    private static final class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        Object read() {
            char first = next();
            if (first == '{' || first == '[') return readMany(first == '{');
            if (first == '"') return readText();
            int from = at;
            while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(from, at).trim();
            return word.matches("-?[0-9].*") ? Double.valueOf(word) : null;
        }

        private Object readMany(boolean isMap) {
            Map<Object, Object> map = new HashMap<>();
            List<Object> list = new ArrayList<>();
            at++;
            while (next() != '}' && next() != ']') {
                Object key = isMap ? read() : null;
                if (next() == ':') at++;
                Object value = read();
                map.put(key, value);
                list.add(value);
                if (next() == ',') at++;
            }
            at++;
            return isMap ? map : list;
        }

        private String readText() {
            StringBuilder read = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) == '\\') at++;
                read.append(text.charAt(at));
            }
            at++;
            return read.toString();
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String answer = "{}";
        if (exchange.getRequestMethod().equals("GET")) {
            answer = "{\"apiversion\": \"1\", \"color\": \"#6a1b9a\", \"head\": \"shades\", \"tail\": \"curled\"}";
        } else if (exchange.getRequestURI().getPath().endsWith("/move")) {
            answer = "{\"move\": \"" + new Main((Map<?, ?>) new Json(body).read()).choose() + "\"}";
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/", Main::answer);
        server.start();
    }
}
