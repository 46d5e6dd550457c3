import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes room away: of all actions it chooses the one that leaves most squares to itself and
 * fewest to the others, counted over every coming turn until the bombs are gone.
 */
public final class Stalker {
    private static final String[] WORDS = {"UP", "DOWN", "LEFT", "RIGHT", "BOMB", "WAIT"};
    private static final int[] ROW_STEPS = {-1, 1, 0, 0, 0, 0};
    private static final int[] COLUMN_STEPS = {0, 0, -1, 1, 0, 0};
    private static final int BOMB = 4;
    private static final int WAIT = 5;
    private static final int REACH = 3;
    private static final String NAME = "stalker-" + suffix();

    private char[][] map = new char[0][0];
    private int[][] bombs = new int[0][0]; // turns until it explodes; 0: no bomb
    private final Map<String, int[]> players = new LinkedHashMap<>();
    private int fuse = 4;

    private static String suffix() {
        String seed = System.getenv("JOUST_SEED");
        return seed == null
                ? Long.toString(ProcessHandle.current().pid())
                : Long.toString(Long.remainderUnsigned(Long.parseUnsignedLong(seed), 100_000));
    }

    public static void main(String[] arguments) throws IOException {
        String host = System.getenv().getOrDefault("JOUST_HOST", "uwcs.co.uk");
        int port = Integer.parseInt(System.getenv().getOrDefault("JOUST_PORT", "8037"));
        try (Socket socket = new Socket(host, port)) {
            socket.setTcpNoDelay(true);
            new Stalker().listen(
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)),
                    socket.getOutputStream());
        } catch (java.net.SocketException gameIsOver) {
            // Nobody is left to speak to.
        }
    }

    private void listen(BufferedReader in, OutputStream out) throws IOException {
        boolean isFirst = true;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split(" ");
            int count = words.length > 1 && words[1].matches("\\d+") ? Integer.parseInt(words[1]) : 0;
            switch (words[0]) {
                case "INIT" -> say(out, "REGISTER " + NAME + " secret");
                case "MAP" -> {
                    isFirst = true;
                    map = new char[count][];
                    for (int row = 0; row < count; row++) {
                        map[row] = in.readLine().replace(" ", "").toCharArray();
                    }
                    bombs = new int[count][count == 0 ? 0 : map[0].length];
                }
                case "PLAYERS" -> {
                    players.clear();
                    for (int i = 0; i < count; i++) {
                        String[] player = in.readLine().split(" ");
                        players.put(player[0], new int[] {Integer.parseInt(player[1]), Integer.parseInt(player[2])});
                    }
                }
                case "ACTIONS" -> {
                    List<String[]> actions = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        actions.add(in.readLine().split(" "));
                    }
                    turn(actions);
                }
                case "DEAD" -> {
                    for (int i = 0; i < count; i++) {
                        players.remove(in.readLine());
                    }
                }
                case "TICK" -> {
                    if (isFirst) {
                        fuse = count == 0 ? 5 : 4; // the server that counts from 0 has the longer fuse
                        isFirst = false;
                    }
                    String action = players.containsKey(NAME) ? choose() : null;
                    if (action != null) {
                        say(out, "ACTION " + action);
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

    private void turn(List<String[]> actions) {
        boolean[][] isFresh = new boolean[map.length][map.length == 0 ? 0 : map[0].length];
        for (String[] action : actions) {
            int[] here = players.get(action[0]);
            int word = Arrays.asList(WORDS).indexOf(action[action.length - 1]);
            if (here == null || word < 0) {
                continue;
            }
            if (word == BOMB) {
                if (bombs[here[0]][here[1]] == 0) {
                    bombs[here[0]][here[1]] = fuse + 1;
                    isFresh[here[0]][here[1]] = true;
                }
                continue;
            }
            int row = here[0] + ROW_STEPS[word];
            int column = here[1] + COLUMN_STEPS[word];
            if (isFree(map, row, column) && (bombs[row][column] == 0 || isFresh[row][column])) {
                here[0] = row;
                here[1] = column;
            }
        }
        strike(map, bombs);
    }

    private static boolean isInside(char[][] map, int row, int column) {
        return row >= 0 && row < map.length && column >= 0 && column < map[row].length;
    }

    private static boolean isFree(char[][] map, int row, int column) {
        return isInside(map, row, column) && map[row][column] == '0';
    }

    /** Ages the bombs, lets go off those that are due, and returns what is hit. */
    private static boolean[][] strike(char[][] map, int[][] bombs) {
        boolean[][] hit = new boolean[map.length][map[0].length];
        boolean goesOn = false;
        for (int[] row : bombs) {
            for (int column = 0; column < row.length; column++) {
                if (row[column] > 0 && --row[column] == 0) {
                    row[column] = -1; // due
                    goesOn = true;
                }
            }
        }
        while (goesOn) {
            goesOn = false;
            for (int row = 0; row < map.length; row++) {
                for (int column = 0; column < map[row].length; column++) {
                    boolean isCaught = bombs[row][column] > 0 && hit[row][column];
                    if (bombs[row][column] < 0 || isCaught) {
                        bombs[row][column] = 0;
                        burn(map, hit, row, column);
                        goesOn = true;
                    }
                }
            }
        }
        for (int row = 0; row < map.length; row++) {
            for (int column = 0; column < map[row].length; column++) {
                if (hit[row][column] && map[row][column] == '1') {
                    map[row][column] = '0';
                }
            }
        }
        return hit;
    }

    private static void burn(char[][] map, boolean[][] hit, int row, int column) {
        hit[row][column] = true;
        for (int way = 0; way < 4; way++) {
            for (int far = 1; far <= REACH; far++) {
                int toRow = row + far * ROW_STEPS[way];
                int toColumn = column + far * COLUMN_STEPS[way];
                if (!isInside(map, toRow, toColumn)) {
                    break;
                }
                hit[toRow][toColumn] = true;
                if (map[toRow][toColumn] != '0') {
                    break;
                }
            }
        }
    }

    private static int[][] copy(int[][] rows) {
        return Arrays.stream(rows).map(int[]::clone).toArray(int[][]::new);
    }

    private static char[][] copy(char[][] rows) {
        return Arrays.stream(rows).map(char[]::clone).toArray(char[][]::new);
    }

    private String choose() {
        int[] here = players.get(NAME);
        String best = null;
        double most = Double.NEGATIVE_INFINITY;
        for (int word = 0; word < WORDS.length; word++) {
            int row = here[0] + ROW_STEPS[word];
            int column = here[1] + COLUMN_STEPS[word];
            boolean isStep = word < BOMB;
            if (isStep && (!isFree(map, row, column) || bombs[row][column] > 0)) {
                continue;
            }
            if (word == BOMB && bombs[row][column] > 0) {
                continue;
            }
            double value = value(row, column, word == BOMB);
            if (value > most) {
                most = value;
                best = word == WAIT ? against(here) : WORDS[word];
            }
        }
        return best;
    }

    /** What a position is worth in which I am on that square after this turn. */
    private double value(int row, int column, boolean withBomb) {
        int[][] later = copy(bombs);
        if (withBomb) {
            later[row][column] = fuse + 1;
        }
        int mine = room(new int[] {row, column}, later, true);
        if (mine == 0) {
            return Double.NEGATIVE_INFINITY;
        }
        double value = Math.min(mine, 40) * 0.5;
        int nearest = 100;
        for (Map.Entry<String, int[]> other : players.entrySet()) {
            if (!other.getKey().equals(NAME)) {
                int[] square = other.getValue();
                int theirs = room(square, later, false);
                value -= theirs == 0 ? -200 : Math.min(theirs, 60);
                nearest = Math.min(nearest, Math.abs(square[0] - row) + Math.abs(square[1] - column));
            }
        }
        return value - 2 * nearest + (withBomb ? 6 + 3 * rocks(row, column) : 0);
    }

    private int rocks(int row, int column) {
        boolean[][] hit = new boolean[map.length][map[0].length];
        burn(map, hit, row, column);
        int rocks = 0;
        for (int i = 0; i < map.length; i++) {
            for (int j = 0; j < map[i].length; j++) {
                rocks += hit[i][j] && map[i][j] == '1' ? 1 : 0;
            }
        }
        return rocks;
    }

    /** The squares on which somebody can be alive when the bombs of now are gone. */
    private int room(int[] start, int[][] startBombs, boolean hasMoved) {
        char[][] field = copy(map);
        int[][] left = copy(startBombs);
        boolean[][] alive = new boolean[map.length][map[0].length];
        alive[start[0]][start[1]] = true;
        for (int turn = 0; turn < fuse + 2; turn++) {
            boolean[][] following = new boolean[map.length][map[0].length];
            for (int row = 0; row < map.length; row++) {
                for (int column = 0; column < map[row].length; column++) {
                    if (!alive[row][column]) {
                        continue;
                    }
                    following[row][column] = true;
                    for (int way = 0; way < 4 && !(turn == 0 && hasMoved); way++) {
                        int toRow = row + ROW_STEPS[way];
                        int toColumn = column + COLUMN_STEPS[way];
                        if (isFree(field, toRow, toColumn) && left[toRow][toColumn] == 0) {
                            following[toRow][toColumn] = true;
                        }
                    }
                }
            }
            boolean[][] hit = strike(field, left);
            for (int row = 0; row < map.length; row++) {
                for (int column = 0; column < map[row].length; column++) {
                    alive[row][column] = following[row][column] && !hit[row][column];
                }
            }
        }
        int squares = 0;
        for (boolean[] row : alive) {
            for (boolean isAlive : row) {
                squares += isAlive ? 1 : 0;
            }
        }
        return squares;
    }

    /** Walking against something is standing still, and tells the clock so. */
    private String against(int[] here) {
        for (int way = 0; way < 4; way++) {
            int row = here[0] + ROW_STEPS[way];
            int column = here[1] + COLUMN_STEPS[way];
            if (!isFree(map, row, column) || bombs[row][column] > 0) {
                return WORDS[way];
            }
        }
        return null;
    }
}
