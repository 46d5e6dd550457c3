// Connect four: two bots drop discs into columns; a row of four wins.
import java.io.IOException;
import java.util.*;
import java.util.regex.*;
final class ConnectFour implements Joust.Game {
    private static final Pattern NUMBER = Pattern.compile("[ \\t-\\r]*0*([0-9]{1,9})[ \\t-\\r]*");
    private final int columns, rows, connect;
    /** The text that bots see: one line for each row, the top one first. */
    private final StringBuilder cells = new StringBuilder();
    private int discs;

    ConnectFour(Joust.Bout bout) {
        columns = bout.number("columns");
        rows = bout.number("rows");
        connect = bout.number("connect");
        for (int y = 0; y < rows; y++) cells.append(".".repeat(columns)).append('\n');
    }

    public void next(Joust.Bout bout, Map<Integer, Joust.Answer> answers) {
        int seat = discs % 2;
        if (answers != null) {
            Matcher number = NUMBER.matcher(answers.get(seat).text);
            boolean isNumber = answers.get(seat).verdict.equals("ok") && number.matches();
            int column = isNumber ? Integer.parseInt(number.group(1)) : columns;
            if (column >= columns || cells.charAt(column) != '.') {
                column = cells.indexOf(".");
                bout.fault(seat, "the disc falls into column " + column);
            }
            int at = column + (rows - 1) * (columns + 1);
            while (cells.charAt(at) != '.') at -= columns + 1;
            cells.setCharAt(at, (char) ('0' + seat));
            discs++;
            boolean isWon = isConnected(at);
            if (isWon || discs == columns * rows) {
                List<Integer> scores = !isWon ? List.of(1, 1) : seat == 0 ? List.of(2, 0) : List.of(0, 2);
                bout.end(scores, isWon ? "connected" : "board-full", cells.toString());
                return;
            }
            seat = 1 - seat;
        } else {
            bout.tell(List.of(0, 1), "board " + columns + " " + rows);
        }
        String view = "you " + seat + "\nconnect " + connect + "\n" + cells;
        bout.ask(Map.of(seat, view), cells.toString());
    }

    private boolean isConnected(int at) {
        for (int step : new int[] {1, columns, columns + 1, columns + 2}) {
            int count = 1;
            for (int i = at + step; i < cells.length() && cells.charAt(i) == cells.charAt(at); i += step) count++;
            for (int i = at - step; i >= 0 && cells.charAt(i) == cells.charAt(at); i -= step) count++;
            if (count >= connect) return true;
        }
        return false;
    }

    public static void main(String[] args) throws IOException {
        Joust.serve("connect-four-kit", "1", List.of("bouts", "rejudge"), ConnectFour::new);
    }
}
