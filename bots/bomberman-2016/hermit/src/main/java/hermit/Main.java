package hermit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/**
 * Hermit wants to be left alone: it keeps away from everybody and from every blast that might come, strolls over
 * as many blocks as it can reach, and opens a wall only when its cell has become too small for that.
 *
 * <p>Arguments: the own key and the folder with map.txt; the answer is the first character of move.txt there.
 */
public final class Main {
    /** Blocks that are room enough. */
    private static final int ROOM = 120;
    /** Steps from the nearest player within which nothing else matters. */
    private static final int TOO_CLOSE = 6;

    private final Field field;
    private final String seed;

    private Main(Field field, String seed) {
        this.field = field;
        this.seed = seed;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Paths.get(arguments[1]);
        List<String> lines = Files.readAllLines(folder.resolve("map.txt"), StandardCharsets.UTF_8);
        Files.write(folder.resolve("move.txt"), new byte[] {(byte) ('0' + decide(lines, arguments[0], System.getenv("JOUST_SEED")))});
    }

    static int decide(List<String> lines, String key, String seed) {
        return new Main(Field.read(lines, key), String.valueOf(seed)).choose();
    }

    private int choose() {
        int lasting = field.lasting(-1, true);
        if (lasting == 0) {
            lasting = field.lasting(-1, false);
        }
        int[][] steps = field.steps(field.x, field.y);
        if (room(steps) < ROOM && gap(field.x, field.y) > TOO_CLOSE) {
            int digging = dig(steps, lasting);
            if (digging >= 0) {
                return digging;
            }
        }
        int[] goal = goal(steps);
        return towards(goal, lasting);
    }

    private static int room(int[][] steps) {
        int room = 0;
        for (int[] row : steps) {
            for (int count : row) {
                room += count >= 0 ? 1 : 0;
            }
        }
        return room;
    }

    /** The distance to the nearest of the others, in steps as the crow flies. */
    private int gap(int x, int y) {
        int gap = field.width + field.height;
        for (int[] other : field.others) {
            gap = Math.min(gap, Math.abs(other[0] - x) + Math.abs(other[1] - y));
        }
        return gap;
    }

    /** The command that opens the nearest wall, -1 when none can be opened now. */
    private int dig(int[][] steps, int lasting) {
        if (field.bagLeft == 0) {
            return -1;
        }
        int[] best = null;
        int least = Integer.MAX_VALUE;
        for (int y = 1; y <= field.height; y++) {
            for (int x = 1; x <= field.width; x++) {
                if (steps[y][x] >= 0 && walls(x, y) > 0) {
                    int value = 3 * steps[y][x] - walls(x, y) - gap(x, y);
                    if (value < least) {
                        least = value;
                        best = new int[] {x, y};
                    }
                }
            }
        }
        if (best == null) {
            return -1;
        }
        if (best[0] != field.x || best[1] != field.y) {
            return towards(best, lasting);
        }
        return field.survivesPlanting() ? Field.PLANT : -1;
    }

    private int walls(int x, int y) {
        return field.blast(new Field.Bomb(x, y, 0, field.radius, true), field.blocks());
    }

    /** Where to stroll to: one of all blocks in reach, another one every 12 rounds, the farther from others the better. */
    private int[] goal(int[][] steps) {
        int[] best = {field.x, field.y};
        int most = Integer.MIN_VALUE;
        for (int y = 1; y <= field.height; y++) {
            for (int x = 1; x <= field.width; x++) {
                if (steps[y][x] >= 0) {
                    int value = noise(x, y) + 6 * Math.min(gap(x, y), 12);
                    if (value > most) {
                        most = value;
                        best = new int[] {x, y};
                    }
                }
            }
        }
        return best;
    }

    private int noise(int x, int y) {
        int mixed = (seed + " " + field.round / 12 + " " + x + " " + y).hashCode() * 0x9E3779B1;
        return (mixed >>> 16) % 60;
    }

    /** The command, of those that last, that brings us nearest to the goal and keeps the others at a distance. */
    private int towards(int[] goal, int lasting) {
        int[][] left = field.steps(goal[0], goal[1]);
        int best = Field.NOTHING;
        int least = Integer.MAX_VALUE;
        for (int command = 0; command < Field.STEPS.length; command++) {
            int x = field.x + Field.STEPS[command][0];
            int y = field.y + Field.STEPS[command][1];
            if ((lasting >> command & 1) == 0) {
                continue;
            }
            int crowd = Math.max(0, TOO_CLOSE - gap(x, y));
            int value = 2 * (left[y][x] < 0 ? 100 : left[y][x]) + 5 * crowd + (command == Field.NOTHING ? 1 : 0);
            if (value < least) {
                least = value;
                best = command;
            }
        }
        return best;
    }
}
