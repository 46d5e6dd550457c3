import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
 *
 * <p>Joust starts this program once per bout. It connects to the game, registers when it
 * reads INIT, learns the map, and sends one action after each TICK:
 * ACTION UP | DOWN | LEFT | RIGHT | BOMB. `joust rules uwcs-bomberman` has every line
 * that the game sends, and the whole story.
 */
public final class Main {
    private static final List<String> WORDS = List.of("UP", "DOWN", "LEFT", "RIGHT");
    private static final int[][] STEPS = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    private static final long SEED = Long.parseUnsignedLong(System.getenv().getOrDefault("JOUST_SEED", "1"));
    private static final String NAME = "starter-" + Long.remainderUnsigned(SEED, 100_000);

    private final Random luck = new Random(SEED);
    private final Map<String, int[]> players = new HashMap<>();
    private String[] grid = {};

    /** Returns an action. A square of the grid is 0 free, 1 rock, 2 pillar. */
    private String choose() {
        // Your ideas go here. Where are bombs? Who is near? Is there a way out?
        List<String> steps = new ArrayList<>();
        for (String word : WORDS) {
            if (isFree(target(players.get(NAME), word))) {
                steps.add(word);
            }
        }
        return steps.isEmpty() ? "UP" : steps.get(luck.nextInt(steps.size()));
    }

    private static int[] target(int[] square, String word) {
        int[] step = STEPS[WORDS.indexOf(word)];
        return new int[] {square[0] + step[0], square[1] + step[1]};
    }

    private boolean isFree(int[] square) {
        return square[0] >= 0 && square[0] < grid.length && square[1] >= 0
                && square[1] < grid[square[0]].length() && grid[square[0]].charAt(square[1]) == '0';
    }

    public static void main(String[] arguments) throws IOException {
        String host = System.getenv().getOrDefault("JOUST_HOST", "uwcs.co.uk");
        int port = Integer.parseInt(System.getenv().getOrDefault("JOUST_PORT", "8037"));
        try (Socket socket = new Socket(host, port)) {
            socket.setTcpNoDelay(true);
            InputStreamReader in = new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8);
            new Main().play(new BufferedReader(in), socket.getOutputStream());
        } catch (SocketException gameIsOver) {
            // Nobody is left to speak to.
        }
    }

    private void play(BufferedReader in, OutputStream out) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split(" ");
            int count = words.length > 1 && words[1].matches("\\d+") ? Integer.parseInt(words[1]) : 0;
            switch (words[0]) {
                case "INIT" -> say(out, "REGISTER " + NAME + " secret");
                case "MAP" -> {
                    grid = new String[count];
                    for (int row = 0; row < count; row++) {
                        grid[row] = in.readLine().replace(" ", "");
                    }
                }
                case "PLAYERS" -> {
                    players.clear();
                    for (int i = 0; i < count; i++) {
                        String[] entry = in.readLine().split(" ");
                        players.put(entry[0], new int[] {Integer.parseInt(entry[1]), Integer.parseInt(entry[2])});
                    }
                }
                case "ACTIONS" -> {
                    for (int i = 0; i < count; i++) {
                        String[] entry = in.readLine().split(" ");
                        int[] from = players.get(entry[0]);
                        if (from != null && WORDS.contains(entry[1]) && isFree(target(from, entry[1]))) {
                            players.put(entry[0], target(from, entry[1]));
                        }
                    }
                }
                case "DEAD" -> {
                    for (int i = 0; i < count; i++) {
                        players.remove(in.readLine());
                    }
                }
                case "TICK" -> {
                    if (players.containsKey(NAME)) {
                        say(out, "ACTION " + choose());
                    }
                }
                default -> { } // echoes, scores and errors
            }
        }
    }

    private static void say(OutputStream out, String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
