package admiral;

import java.util.Random;

/** The fleet, and where it is put. */
final class Ships {
    private static final String[] NAMES = {"Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"};
    private static final int[] LENGTHS = {5, 4, 3, 3, 2};

    private Ships() {}

    static int length(String name) {
        for (int i = 0; i < NAMES.length; i++) {
            if (NAMES[i].equals(name)) {
                return LENGTHS[i];
            }
        }
        return 0;
    }

    /** The lines of place.txt: ships anywhere on the map. */
    static String place(int side, Random luck) {
        boolean[][] taken = new boolean[side][side];
        StringBuilder lines = new StringBuilder();
        for (int ship = 0; ship < NAMES.length; ship++) {
            String line;
            do {
                line = tryToPlace(ship, side, taken, luck);
            } while (line == null);
            lines.append(line).append("\r\n");
        }
        return lines.toString();
    }

    private static String tryToPlace(int ship, int side, boolean[][] taken, Random luck) {
        int east = luck.nextInt(2);
        int length = LENGTHS[ship];
        int x = luck.nextInt(side - east * (length - 1));
        int y = luck.nextInt(side - (1 - east) * (length - 1));
        for (int n = 0; n < length; n++) {
            if (taken[x + n * east][y + n * (1 - east)]) {
                return null;
            }
        }
        for (int n = 0; n < length; n++) {
            taken[x + n * east][y + n * (1 - east)] = true;
        }
        return NAMES[ship] + " " + x + " " + y + " " + (east == 1 ? "East" : "North");
    }
}
