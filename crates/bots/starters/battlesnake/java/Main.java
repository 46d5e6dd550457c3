import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A starter snake for Battlesnake: it stays alive and eats what is near.
 *
 * <p>A snake is a web server. Joust starts it once for every game, with the port in PORT, and sends requests:
 *
 * <pre>
 * GET /           answer who you are: {"apiversion": "1", "color": "#6a1b9a"}
 * POST /start     the game begins
 * POST /move      answer {"move": "up"}; down, left and right are the others
 * POST /end       the game is over
 * </pre>
 *
 * <p>The body of a POST is the position in JSON: turn, board (width, height, food, hazards, snakes) and you. A
 * snake's body is a list of squares, its head first; (0, 0) is the lower left corner, and up is y + 1. A late or
 * wrong answer repeats your last move. `joust rules battlesnake` has the whole story.
 */
public final class Main {
    private static final String[] MOVES = {"up", "right", "down", "left"};
    private static final int[] DX = {0, 1, 0, -1};
    private static final int[] DY = {1, 0, -1, 0};

    private final int width;
    private final int height;
    private final List<Point> food = new ArrayList<>();
    private final Set<Point> taken = new HashSet<>();
    private final Point head;

    private record Point(int x, int y) {
        Point next(int move) {
            return new Point(x + DX[move], y + DY[move]);
        }

        int distance(Point other) {
            return Math.abs(x - other.x) + Math.abs(y - other.y);
        }
    }

    private Main(Map<?, ?> state) {
        Map<?, ?> board = (Map<?, ?>) state.get("board");
        width = ((Number) board.get("width")).intValue();
        height = ((Number) board.get("height")).intValue();
        for (Object one : (List<?>) board.get("food")) food.add(point(one));
        for (Object snake : (List<?>) board.get("snakes")) {
            List<?> body = (List<?>) ((Map<?, ?>) snake).get("body");
            // A tail moves away, unless its snake has just eaten.
            for (Object part : body.subList(0, body.size() - 1)) taken.add(point(part));
        }
        head = point(((Map<?, ?>) state.get("you")).get("head"));
    }

    private static Point point(Object value) {
        Map<?, ?> map = (Map<?, ?>) value;
        return new Point(((Number) map.get("x")).intValue(), ((Number) map.get("y")).intValue());
    }

    private boolean isFree(Point at) {
        return at.x >= 0 && at.x < width && at.y >= 0 && at.y < height && !taken.contains(at);
    }

    private String choose() {
        // Your ideas go here. Where can longer snakes go? How much room is there?
        String best = "up";
        int least = Integer.MAX_VALUE;
        for (int move = 0; move < MOVES.length; move++) {
            Point at = head.next(move);
            if (!isFree(at)) continue;
            int cost = food.stream().mapToInt(at::distance).min().orElse(0);
            boolean isTrap = true;
            for (int next = 0; next < MOVES.length; next++) isTrap &= !isFree(at.next(next));
            if (isTrap) cost += 10000;
            if (cost < least) {
                least = cost;
                best = MOVES[move];
            }
        }
        return best;
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
            answer = "{\"apiversion\": \"1\", \"color\": \"#6a1b9a\", \"head\": \"default\", \"tail\": \"default\"}";
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
