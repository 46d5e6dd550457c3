// A starter bot for BattleBots: it walks up to the other bot and
// shoots from up to 2 squares.
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
using System;

public static class Program
{
    public static void Main(string[] arguments)
    {
        string view = arguments.Length > 0 ? arguments[arguments.Length - 1] : "";
        Console.WriteLine(Choose(view));
    }

    public static string Choose(string view)
    {
        string[] lines = view.Split('\n');
        int x, y, foeX, foeY;
        if (!Find(lines, 'Y', out x, out y) || !Find(lines, 'X', out foeX, out foeY))
        {
            return "NO";
        }
        int dx = foeX - x;
        int dy = foeY - y;
        string towards = Direction(dx, dy);
        // Your ideas go here. Is a bullet coming (lines 12 and later)? Is a mine in the way?
        bool aligned = dx == 0 || dy == 0 || Math.Abs(dx) == Math.Abs(dy);
        bool near = Math.Max(Math.Abs(dx), Math.Abs(dy)) <= 2;
        return aligned && near ? "B " + towards : towards;
    }

    private static bool Find(string[] lines, char symbol, out int x, out int y)
    {
        x = -1;
        for (y = 0; y < 10 && y < lines.Length; y++)
        {
            x = lines[y].IndexOf(symbol);
            if (x >= 0)
            {
                return true;
            }
        }
        return false;
    }

    private static string Direction(int dx, int dy)
    {
        string northSouth = dy < 0 ? "N" : dy > 0 ? "S" : "";
        string eastWest = dx < 0 ? "W" : dx > 0 ? "E" : "";
        return northSouth + eastWest;
    }
}
