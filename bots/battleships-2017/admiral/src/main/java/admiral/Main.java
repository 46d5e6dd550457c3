package admiral;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Admiral saves its energy for the special weapons: it looks for ships with the one that strikes most cells for its
 * energy, and sinks with single shots what it has found. The last small ships it leaves to the seeker missile.
 *
 * <p>Arguments: the own key and the folder with state.json; the answer is place.txt in phase 1 and command.txt in
 * phase 2, there.
 */
public final class Main {
    /** A weapon: its command, its name in state.json, the ship that carries it and the cells it strikes. */
    private enum Weapon {
        DIAGONAL_CROSS(5, "DiagonalCrossShot", new int[][] {{-1, -1}, {-1, 1}, {0, 0}, {1, -1}, {1, 1}}),
        CORNER(4, "CornerShot", new int[][] {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}),
        CROSS(6, "CrossShot", new int[][] {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}),
        DOUBLE_VERTICAL(2, "DoubleShot", new int[][] {{0, -1}, {0, 1}}),
        DOUBLE_HORIZONTAL(3, "DoubleShot", new int[][] {{-1, 0}, {1, 0}}),
        SEEKER(7, "SeekerMissile", seekerCells()),
        SINGLE(1, "SingleShot", new int[][] {{0, 0}});

        final int code;
        final String name;
        final int[][] cells;

        Weapon(int code, String name, int[][] cells) {
            this.code = code;
            this.name = name;
            this.cells = cells;
        }

        /** The seeker finds what is at most 2 away. */
        private static int[][] seekerCells() {
            List<int[]> cells = new ArrayList<>();
            for (int x = -2; x <= 2; x++) {
                for (int y = -2; y <= 2; y++) {
                    if (x * x + y * y <= 4) {
                        cells.add(new int[] {x, y});
                    }
                }
            }
            return cells.toArray(new int[0][]);
        }
    }

    /** Cells of all ships left below which the seeker is worth its energy. */
    private static final int SEEKER_CELLS = 5;

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Paths.get(arguments[1]);
        String text = new String(Files.readAllBytes(folder.resolve("state.json")), StandardCharsets.UTF_8);
        String[] answer = decide(text, arguments[0], System.getenv("JOUST_SEED"));
        Files.write(folder.resolve(answer[0]), answer[1].getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the name of the file to write and its text. */
    static String[] decide(String text, String key, String seed) {
        Json state = Json.read(text);
        Random luck = new Random((seed + " " + key + " " + state.get("Round").integer()).hashCode());
        if (state.get("Phase").integer() == 1) {
            return new String[] {"place.txt", Ships.place(state.get("MapDimension").integer(), luck)};
        }
        return new String[] {"command.txt", shoot(state, luck)};
    }

    private static String shoot(Json state, Random luck) {
        Sea sea = new Sea(state);
        Json owner = state.get("PlayerMap").get("Owner");
        if (!sea.hasTrace()) {
            List<Weapon> weapons = new ArrayList<>();
            if (sea.cellsLeft() <= SEEKER_CELLS) {
                weapons.add(Weapon.SEEKER);
            }
            weapons.addAll(List.of(Weapon.DIAGONAL_CROSS, Weapon.CORNER, Weapon.CROSS, Weapon.DOUBLE_VERTICAL, Weapon.DOUBLE_HORIZONTAL));
            for (Weapon weapon : weapons) {
                int cost = cost(owner, weapon);
                if (cost > 0) {
                    return aim(sea, owner.get("Energy").integer() >= cost ? weapon : Weapon.SINGLE, luck);
                }
            }
        }
        return aim(sea, Weapon.SINGLE, luck);
    }

    /** The energy of a weapon that a living ship carries, else 0. */
    private static int cost(Json owner, Weapon wanted) {
        for (Json ship : owner.get("Ships").items) {
            for (Json weapon : ship.get("Weapons").items) {
                if (!ship.get("Destroyed").isTrue() && weapon.get("WeaponType").text().equals(wanted.name)) {
                    return weapon.get("EnergyRequired").integer();
                }
            }
        }
        return 0;
    }

    /** The command that strikes the most likely cells, one of the best at random. */
    private static String aim(Sea sea, Weapon weapon, Random luck) {
        double most = -1;
        List<int[]> best = new ArrayList<>();
        for (int x = 0; x < sea.side; x++) {
            for (int y = 0; y < sea.side; y++) {
                double sum = 0;
                for (int[] cell : weapon.cells) {
                    sum += sea.heat(x + cell[0], y + cell[1]);
                }
                if (sum > most) {
                    most = sum;
                    best.clear();
                }
                if (sum == most) {
                    best.add(new int[] {x, y});
                }
            }
        }
        int[] centre = best.get(luck.nextInt(best.size()));
        return weapon.code + "," + centre[0] + "," + centre[1];
    }
}
