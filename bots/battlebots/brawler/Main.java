/**
 * Brawler closes in along squares from which it cannot be shot, and fights at
 * arm's length: mines while it is ahead, bullets (which cost it nothing) while
 * it is behind.
 */
public final class Main {
    private static final int SIZE = 10;
    private static final String[] NAMES = {"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
    private static final int[] X = {0, 1, 1, 1, 0, -1, -1, -1};
    private static final int[] Y = {-1, -1, 0, 1, 1, 1, 0, -1};

    private final String[] lines;
    private final int luck;

    private Main(String view, String seed) {
        lines = view.split("\n", -1);
        luck = noise(seed + "\n" + view);
    }

    public static void main(String[] arguments) {
        String view = arguments.length > 0 ? arguments[arguments.length - 1] : "";
        String seed = System.getenv("JOUST_SEED");
        System.out.println(choose(view, seed == null ? "" : seed));
    }

    static String choose(String view, String seed) {
        return new Main(view, seed).act();
    }

    private String act() {
        int[] me = find('Y');
        int[] foe = find('X');
        if (me == null || foe == null) {
            return "NO";
        }
        int gap = distance(me[0], me[1], foe);
        boolean circle = luck % 4 == 0;
        if (gap == 1 && !circle) {
            return weapon() + " " + NAMES[direction(me, foe)];
        }
        return advance(me, foe);
    }

    private String weapon() {
        int mine = hitPoints("Y hp=");
        int theirs = hitPoints("X hp=");
        boolean worthIt = mine > theirs || (mine == theirs && luck % 3 != 0) || theirs <= 2;
        return worthIt && mine > 1 ? "L" : "B";
    }

    /** The step that comes nearer and ends off the other bot's firing lines. */
    private String advance(int[] me, int[] foe) {
        int best = -1;
        int bestCost = Integer.MAX_VALUE;
        for (int d = 0; d < NAMES.length; d++) {
            int x = me[0] + X[d];
            int y = me[1] + Y[d];
            if (symbol(x, y) != '.' || leavesOriginalArena(x, y, foe)) {
                continue;
            }
            int gap = distance(x, y, foe);
            int dx = Math.abs(foe[0] - x);
            int dy = Math.abs(foe[1] - y);
            boolean exposed = gap > 1 && (dx == 0 || dy == 0 || dx == dy);
            int cost = 40 * gap + (exposed ? 30 : 0) + (luck >>> (3 * d) & 31);
            if (cost < bestCost) {
                bestCost = cost;
                best = d;
            }
        }
        return best < 0 ? "B " + NAMES[direction(me, foe)] : NAMES[best];
    }

    /** Row and column 0 are walls under the original rules. */
    private static boolean leavesOriginalArena(int x, int y, int[] foe) {
        return x < Math.min(1, foe[0]) || y < Math.min(1, foe[1]);
    }

    private int[] find(char wanted) {
        for (int y = 0; y < SIZE && y < lines.length; y++) {
            int x = lines[y].indexOf(wanted);
            if (x >= 0) {
                return new int[] {x, y};
            }
        }
        return null;
    }

    private char symbol(int x, int y) {
        boolean known = x >= 0 && y >= 0 && x < SIZE && y < SIZE && y < lines.length;
        return known && x < lines[y].length() ? lines[y].charAt(x) : '#';
    }

    private int hitPoints(String label) {
        for (String line : lines) {
            if (line.startsWith(label)) {
                String digits = line.substring(label.length());
                return digits.matches("\\d{1,6}") ? Integer.parseInt(digits) : 0;
            }
        }
        return 0;
    }

    private static int direction(int[] from, int[] to) {
        int dx = Integer.signum(to[0] - from[0]);
        int dy = Integer.signum(to[1] - from[1]);
        for (int d = 0; d < NAMES.length; d++) {
            if (X[d] == dx && Y[d] == dy) {
                return d;
            }
        }
        return 0;
    }

    private static int distance(int x, int y, int[] foe) {
        return Math.max(Math.abs(foe[0] - x), Math.abs(foe[1] - y));
    }

    private static int noise(String text) {
        int h = text.hashCode();
        h ^= h >>> 15;
        h *= 0x2c1b3c6d;
        return (h ^ h >>> 12) & 0x7fffffff;
    }
}
