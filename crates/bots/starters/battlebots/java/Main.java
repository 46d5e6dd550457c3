// A starter bot for BattleBots: it walks up to the other bot and
// shoots from up to 5 squares.
//
// Joust starts this program once per turn. The last argument is the view:
//
//     ten lines of ten characters: . empty, Y you, X the other bot,
//         B bullet, M missile, L land mine
//     Y hp=10             your hit points
//     X hp=10             the other bot's
//     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
//     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
//     L x=6 y=0           ... per land mine (costs 2, splash 1)
//
// x grows to the east, y to the south, (0, 0) is the upper left corner.
//
// Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
// missile or mine, any direction); P (nobody moves for two turns, costs you 1).
// Anything else does nothing. `joust rules battlebots` has the whole story.
public final class Main {
    public static void main(String[] arguments) {
        String view = arguments.length > 0 ? arguments[arguments.length - 1] : "";
        System.out.println(choose(view));
    }

    static String choose(String view) {
        String[] lines = view.split("\n");
        int[] me = find(lines, 'Y');
        int[] foe = find(lines, 'X');
        if (me == null || foe == null) {
            return "NO";
        }
        int dx = foe[0] - me[0];
        int dy = foe[1] - me[1];
        String towards = direction(dx, dy);
        // Your ideas go here. Is a bullet coming (lines 12 and later)? Is a mine in the way?
        boolean aligned = dx == 0 || dy == 0 || Math.abs(dx) == Math.abs(dy);
        boolean near = Math.max(Math.abs(dx), Math.abs(dy)) <= 5;
        return aligned && near ? "B " + towards : towards;
    }

    /** Returns the x and y of a symbol, or null. */
    static int[] find(String[] lines, char symbol) {
        for (int y = 0; y < 10 && y < lines.length; y++) {
            int x = lines[y].indexOf(symbol);
            if (x >= 0) {
                return new int[] {x, y};
            }
        }
        return null;
    }

    static String direction(int dx, int dy) {
        String northSouth = dy < 0 ? "N" : dy > 0 ? "S" : "";
        String eastWest = dx < 0 ? "W" : dx > 0 ? "E" : "";
        return northSouth + eastWest;
    }
}
