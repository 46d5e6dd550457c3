package admiral;

import java.util.ArrayList;
import java.util.List;

/** What is known of the other map, and where its ships may lie. */
final class Sea {
    private enum Mark { UNKNOWN, HIT, SUNK, MISSED, SHIELDED }

    /** How much likelier a place is for every open hit that it explains. */
    private static final double HIT_WEIGHT = 50;
    /** How many ways to explain the hits are looked at. */
    private static final int MOST_EXPLANATIONS = 100;

    final int side;
    private final Mark[][] marks;
    private final List<Integer> left = new ArrayList<>();
    private final List<Integer> sunk = new ArrayList<>();
    private final double[][] heat;
    private int explanations;

    Sea(Json state) {
        side = state.get("MapDimension").integer();
        marks = new Mark[side][side];
        for (Json cell : state.get("OpponentMap").get("Cells").items) {
            marks[cell.get("X").integer()][cell.get("Y").integer()] = mark(cell);
        }
        for (Json ship : state.get("OpponentMap").get("Ships").items) {
            (ship.get("Destroyed").isTrue() ? sunk : left).add(Ships.length(ship.get("ShipType").text()));
        }
        heat = new double[side][side];
        explain(0);
    }

    private static Mark mark(Json cell) {
        if (cell.get("Damaged").isTrue()) {
            return Mark.HIT;
        }
        if (cell.get("Missed").isTrue()) {
            return Mark.MISSED;
        }
        return cell.get("ShieldHit").isTrue() ? Mark.SHIELDED : Mark.UNKNOWN;
    }

    private Mark at(int x, int y) {
        return isInside(x, y) ? marks[x][y] : Mark.MISSED;
    }

    private boolean isInside(int x, int y) {
        return x >= 0 && y >= 0 && x < side && y < side;
    }

    /**
     * Goes through the ways to tell which hits belong to the sunk ships, from the ship {@code next} on, and adds up the
     * heat of each.
     */
    private void explain(int next) {
        if (next == sunk.size()) {
            explanations++;
            left.forEach(this::warm);
            return;
        }
        int length = sunk.get(next);
        for (int x = 0; x < side; x++) {
            for (int y = 0; y < side; y++) {
                for (int east = 0; east <= 1 && explanations < MOST_EXPLANATIONS; east++) {
                    if (hits(x, y, length, east) == length) {
                        mark(x, y, length, east, Mark.SUNK);
                        explain(next + 1);
                        mark(x, y, length, east, Mark.HIT);
                    }
                }
            }
        }
    }

    private int hits(int x, int y, int length, int east) {
        int hits = 0;
        for (int n = 0; n < length; n++) {
            hits += at(x + n * east, y + n * (1 - east)) == Mark.HIT ? 1 : 0;
        }
        return hits;
    }

    private void mark(int x, int y, int length, int east, Mark mark) {
        for (int n = 0; n < length; n++) {
            marks[x + n * east][y + n * (1 - east)] = mark;
        }
    }

    /** Adds the places of one ship to the heat of the cells. */
    private void warm(int length) {
        for (int x = 0; x < side; x++) {
            for (int y = 0; y < side; y++) {
                for (int east = 0; east <= 1; east++) {
                    double weight = 1;
                    for (int n = 0; n < length; n++) {
                        Mark mark = at(x + n * east, y + n * (1 - east));
                        weight *= mark == Mark.HIT ? HIT_WEIGHT : mark == Mark.MISSED || mark == Mark.SUNK ? 0 : 1;
                    }
                    for (int n = 0; n < length && weight > 0; n++) {
                        int cellX = x + n * east;
                        int cellY = y + n * (1 - east);
                        heat[cellX][cellY] += marks[cellX][cellY] == Mark.UNKNOWN ? weight : 0;
                    }
                }
            }
        }
    }

    /** How warm a cell is: 0 off the map and where it is known what there is. */
    double heat(int x, int y) {
        return isInside(x, y) ? heat[x][y] : 0;
    }

    /** Says whether a cell lies where a ship would that has been hit and is not sunk. */
    boolean hasTrace() {
        for (double[] column : heat) {
            for (double cell : column) {
                if (cell >= HIT_WEIGHT * explanations) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Cells of all ships that are left. */
    int cellsLeft() {
        return left.stream().mapToInt(Integer::intValue).sum();
    }
}
