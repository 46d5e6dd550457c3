package hermit;

import java.util.ArrayList;
import java.util.List;

/** What map.txt tells, and which ways lead through the next rounds alive. */
final class Field {
    static final int NOTHING = 0;
    static final int PLANT = 5;
    /** Nothing, up, left, right, down: what the commands 0 to 4 do. */
    static final int[][] STEPS = {{0, 0}, {0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    /** Rounds, longer than any fuse. */
    private static final int AHEAD = 12;

    /** A bomb: the rounds until it is due, and until it goes off, which may be sooner. */
    static final class Bomb {
        final int x, y, due, radius;
        final boolean mine;
        int goesOff;

        Bomb(int x, int y, int due, int radius, boolean mine) {
            this.x = x;
            this.y = y;
            this.due = due;
            this.radius = radius;
            this.mine = mine;
        }
    }

    int width, height, round, x, y, bagLeft, bag, radius;
    char[][] ground;
    final List<Bomb> bombs = new ArrayList<>();
    final List<int[]> others = new ArrayList<>();

    static Field read(List<String> lines, String key) {
        Field field = new Field();
        field.round = number(lines.get(0), "Current Round: ");
        field.width = number(lines.get(0), "Map Width: ");
        field.height = number(lines.get(0), "Map Height: ");
        field.ground = new char[field.height + 2][field.width + 2];
        for (char[] row : field.ground) {
            java.util.Arrays.fill(row, '#');
        }
        for (int y = 1; y <= field.height; y++) {
            for (int x = 1; x <= field.width; x++) {
                field.addBlock(x, y, lines.get(y).charAt(x - 1), key.charAt(0));
            }
        }
        String section = "";
        for (String line : lines.subList(field.height + 1, lines.size())) {
            if (line.startsWith("Key: ")) {
                section = line.substring(5);
            } else {
                field.addFact(line, section.equals(key));
            }
        }
        return field;
    }

    private void addBlock(int x, int y, char symbol, char key) {
        ground[y][x] = symbol == '#' || symbol == '+' ? symbol : ' ';
        if (!Character.isLetter(symbol)) {
            return;
        }
        // A small letter is a player who stands on its own bomb.
        if (Character.toUpperCase(symbol) == key) {
            this.x = x;
            this.y = y;
        } else {
            others.add(new int[] {x, y});
        }
    }

    private void addFact(String line, boolean mine) {
        if (line.startsWith("Bombs: ")) {
            for (String bomb : line.substring(7).split("}")) {
                if (bomb.contains("x:")) {
                    bombs.add(new Bomb(number(bomb, "x:"), number(bomb, "y:"), number(bomb, "fuse:"), number(bomb, "radius:"), mine));
                    bag += mine ? 1 : 0;
                }
            }
        } else if (mine && line.startsWith("BombBag: ")) {
            bagLeft = number(line, "BombBag: ");
            bag += bagLeft;
        } else if (mine && line.startsWith("BlastRadius: ")) {
            radius = number(line, "BlastRadius: ");
        }
    }

    /** The number that follows a label, 0 when there is none. */
    private static int number(String line, String label) {
        int start = line.indexOf(label);
        int result = 0;
        for (int at = start + label.length(); start >= 0 && at < line.length() && Character.isDigit(line.charAt(at)); at++) {
            result = 10 * result + line.charAt(at) - '0';
        }
        return result;
    }

    /** Marks the blocks that a bomb covers, and returns how many walls are among them. */
    int blast(Bomb bomb, boolean[][] covered) {
        int walls = 0;
        covered[bomb.y][bomb.x] = true;
        for (int command = 1; command < STEPS.length; command++) {
            for (int n = 1; n <= bomb.radius; n++) {
                int x = bomb.x + n * STEPS[command][0];
                int y = bomb.y + n * STEPS[command][1];
                if (ground[y][x] == '#') {
                    break;
                }
                covered[y][x] = true;
                walls += ground[y][x] == '+' ? 1 : 0;
                if (ground[y][x] == '+' || bombAt(x, y) != null) {
                    break;
                }
            }
        }
        return walls;
    }

    Bomb bombAt(int x, int y) {
        for (Bomb bomb : bombs) {
            if (bomb.x == x && bomb.y == y) {
                return bomb;
            }
        }
        return null;
    }

    boolean[][] blocks() {
        return new boolean[height + 2][width + 2];
    }

    /**
     * Returns the first commands, a bit each, after which we need not die; with {@code first} only that one is tried.
     * When {@code wary}, a bomb of somebody else may be triggered: it burns from the second round on.
     */
    int lasting(int first, boolean wary) {
        int[][] edge = new int[height + 2][width + 2];
        edge[y][x] = 1;
        boolean[][][] burns = burning(wary);
        for (int n = 1; n <= AHEAD; n++) {
            int[][] reached = new int[height + 2][width + 2];
            for (int y = 1; y <= height; y++) {
                for (int x = 1; x <= width; x++) {
                    if (edge[y][x] == 0 || burns[n][y][x]) {
                        continue;
                    }
                    int moves = n == 1 && first >= 0 ? 1 : STEPS.length;
                    for (int command = 0; command < moves; command++) {
                        int nextX = x + STEPS[command][0];
                        int nextY = y + STEPS[command][1];
                        if (!burns[n][nextY][nextX] && (command == 0 || isOpen(nextX, nextY, n))) {
                            reached[nextY][nextX] |= n > 1 ? edge[y][x] : 1 << (first >= 0 ? first : command);
                        }
                    }
                }
            }
            edge = reached;
        }
        int commands = 0;
        for (int[] row : edge) {
            for (int firsts : row) {
                commands |= firsts;
            }
        }
        return commands;
    }

    /** Says whether we need not die after planting here. */
    boolean survivesPlanting() {
        Bomb planted = new Bomb(x, y, 2 + Math.min(9, 3 * bag), radius, true);
        bombs.add(planted);
        boolean survives = lasting(PLANT, true) != 0;
        bombs.remove(planted);
        return survives;
    }

    /**
     * Returns what burns in each round, and sets when each bomb explodes. A bomb in the blast of another explodes with
     * it; walls and bombs that are gone do not stop a later blast.
     */
    private boolean[][][] burning(boolean wary) {
        boolean[][][] burns = new boolean[AHEAD + 1][height + 2][width + 2];
        List<Bomb> all = new ArrayList<>(bombs);
        List<int[]> opened = new ArrayList<>();
        for (int n = 1; n <= AHEAD; n++) {
            explode(n, burns[n]);
            for (int y = 1; y <= height; y++) {
                for (int x = 1; x <= width; x++) {
                    if (burns[n][y][x] && ground[y][x] == '+') {
                        ground[y][x] = ' ';
                        opened.add(new int[] {x, y});
                    }
                }
            }
        }
        bombs.clear();
        bombs.addAll(all);
        opened.forEach(wall -> ground[wall[1]][wall[0]] = '+');
        for (Bomb bomb : bombs) {
            for (int n = 2; n <= bomb.due && wary && !bomb.mine; n++) {
                blast(bomb, burns[n]);
            }
        }
        return burns;
    }

    /** Explodes the bombs that are due in round n, and takes them off the map. */
    private void explode(int n, boolean[][] burns) {
        List<Bomb> exploding = new ArrayList<>();
        for (Bomb bomb : bombs) {
            bomb.goesOff = n;
            if (bomb.due <= n) {
                exploding.add(bomb);
            }
        }
        for (int i = 0; i < exploding.size(); i++) {
            boolean[][] covered = blocks();
            blast(exploding.get(i), covered);
            for (Bomb other : bombs) {
                if (covered[other.y][other.x] && !exploding.contains(other)) {
                    exploding.add(other);
                }
            }
            for (int y = 1; y <= height; y++) {
                for (int x = 1; x <= width; x++) {
                    burns[y][x] |= covered[y][x];
                }
            }
        }
        bombs.removeAll(exploding);
    }

    private boolean isOpen(int x, int y, int round) {
        Bomb bomb = bombAt(x, y);
        boolean taken = others.stream().anyMatch(other -> other[0] == x && other[1] == y);
        return ground[y][x] == ' ' && !taken && (bomb == null || bomb.goesOff < round);
    }

    /** The steps from a block to every other one, -1 where no way leads. */
    int[][] steps(int fromX, int fromY) {
        int[][] steps = new int[height + 2][width + 2];
        for (int[] row : steps) {
            java.util.Arrays.fill(row, -1);
        }
        List<int[]> queue = new ArrayList<>();
        queue.add(new int[] {fromX, fromY});
        steps[fromY][fromX] = 0;
        for (int i = 0; i < queue.size(); i++) {
            int[] here = queue.get(i);
            for (int command = 1; command < STEPS.length; command++) {
                int x = here[0] + STEPS[command][0];
                int y = here[1] + STEPS[command][1];
                if (ground[y][x] == ' ' && bombAt(x, y) == null && steps[y][x] < 0) {
                    steps[y][x] = steps[here[1]][here[0]] + 1;
                    queue.add(new int[] {x, y});
                }
            }
        }
        return steps;
    }
}
