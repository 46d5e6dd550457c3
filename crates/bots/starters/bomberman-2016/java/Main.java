import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.
 *
 * <p>Joust starts this program once per round with two arguments: your key and a folder. The folder
 * holds state.json and map.txt; leave your move there in move.txt: 1 up, 2 left, 3 right, 4 down,
 * 5 plant a bomb, 6 set your oldest bomb off, 0 nothing. `joust rules bomberman-2016` has the story.
 */
public final class Main {
    private static final int[][] STEPS = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};

    private final List<String> grid = new ArrayList<>();
    private final List<int[]> bombs = new ArrayList<>();

    private Main(String text) {
        for (String line : text.split("\r?\n")) {
            if (line.startsWith("#")) grid.add(line);
        }
        Matcher bomb = Pattern.compile("\\{x:(\\d+),y:(\\d+),fuse:\\d+,radius:(\\d+)\\}").matcher(text);
        while (bomb.find()) {
            bombs.add(new int[] {number(bomb, 1), number(bomb, 2), number(bomb, 3)});
        }
    }

    private static int number(Matcher found, int group) {
        return Integer.parseInt(found.group(group));
    }

    private char symbol(int x, int y) {
        return grid.get(y - 1).charAt(x - 1);
    }

    private boolean isFree(int x, int y) {
        return " &!$".indexOf(symbol(x, y)) >= 0;
    }

    private boolean isSafe(int x, int y) {
        return bombs.stream().noneMatch(bomb ->
            (x == bomb[0] && Math.abs(y - bomb[1]) <= bomb[2])
                || (y == bomb[1] && Math.abs(x - bomb[0]) <= bomb[2]));
    }

    private int rate(int x, int y) {
        int rating = isSafe(x, y) ? 4 : 0;
        for (int[] step : STEPS) {
            if (isFree(x + step[0], y + step[1]) && isSafe(x + step[0], y + step[1])) rating++;
        }
        return rating;
    }

    private String choose(int x, int y, int luck, boolean mayPlant) {
        // Your ideas go here. What is worth walking to? Can you shut somebody in?
        boolean walls = false;
        for (int[] step : STEPS) walls |= symbol(x + step[0], y + step[1]) == '+';
        if (isSafe(x, y) && walls && mayPlant && luck % 3 == 0) return "5";
        int best = rate(x, y);
        String move = "0";
        for (int turn = 0; turn < 4; turn++) {
            int number = (turn + luck) % 4;
            int toX = x + STEPS[number][0], toY = y + STEPS[number][1];
            if (isFree(toX, toY) && rate(toX, toY) >= best) {
                best = rate(toX, toY);
                move = String.valueOf(number + 1);
            }
        }
        return move;
    }

    private String move(char key, int luck, boolean mayPlant) {
        for (int y = 1; y <= grid.size(); y++) {
            int x = grid.get(y - 1).toUpperCase().indexOf(key) + 1;
            if (x > 0) return choose(x, y, luck, mayPlant);
        }
        return "0";
    }

    public static void main(String[] arguments) throws IOException {
        String key = arguments[0];
        Path folder = Path.of(arguments[1]);
        String text = Files.readString(folder.resolve("map.txt"));
        Matcher round = Pattern.compile("Current Round: (\\d+)").matcher(text);
        int rounds = round.find() ? number(round, 1) : 0;
        String seed = System.getenv().getOrDefault("JOUST_SEED", "0");
        int luck = (int) Long.remainderUnsigned(Long.parseUnsignedLong(seed), 1000) + 7 * rounds;
        Matcher own = Pattern.compile("Key: " + key + "\\s(?s:.*?)Bombs: ?(.*)").matcher(text);
        boolean mayPlant = own.find() && !own.group(1).contains("{");
        Files.writeString(folder.resolve("move.txt"), new Main(text).move(key.charAt(0), luck, mayPlant));
    }
}
