// A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.
//
// Joust starts this program once per round with two arguments: your key and a folder.
// The folder holds `state.json` and `map.txt`; leave your move there in `move.txt`:
// 1 up, 2 left, 3 right, 4 down, 5 plant a bomb, 6 set your oldest bomb off, 0 nothing.
// `joust rules bomberman-2016` has the whole story.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

public static class Program
{
    static readonly int[][] Steps = { new[] {0, -1}, new[] {-1, 0}, new[] {1, 0}, new[] {0, 1} };
    static List<string> grid;
    static List<int[]> bombs;

    static char Symbol(int x, int y) { return grid[y - 1][x - 1]; }

    static bool IsFree(int x, int y) { return " &!$".IndexOf(Symbol(x, y)) >= 0; }

    static bool IsSafe(int x, int y)
    {
        return !bombs.Any(bomb => (x == bomb[0] && Math.Abs(y - bomb[1]) <= bomb[2])
            || (y == bomb[1] && Math.Abs(x - bomb[0]) <= bomb[2]));
    }

    static int Rate(int x, int y)
    {
        return (IsSafe(x, y) ? 4 : 0)
            + Steps.Count(step => IsFree(x + step[0], y + step[1]) && IsSafe(x + step[0], y + step[1]));
    }

    static string Choose(int x, int y, int luck, bool mayPlant)
    {
        // Your ideas go here. What is worth walking to? Can you shut somebody in?
        bool walls = Steps.Any(step => Symbol(x + step[0], y + step[1]) == '+');
        if (IsSafe(x, y) && walls && mayPlant && luck % 3 == 0) return "5";
        int best = Rate(x, y);
        string move = "0";
        for (int turn = 0; turn < 4; turn++)
        {
            int number = (turn + luck) % 4;
            int toX = x + Steps[number][0], toY = y + Steps[number][1];
            if (!IsFree(toX, toY) || Rate(toX, toY) < best) continue;
            best = Rate(toX, toY);
            move = (number + 1).ToString();
        }
        return move;
    }

    static string Move(string key, int luck, bool mayPlant)
    {
        for (int y = 1; y <= grid.Count; y++)
        {
            int x = grid[y - 1].ToUpperInvariant().IndexOf(key, StringComparison.Ordinal) + 1;
            if (x > 0) return Choose(x, y, luck, mayPlant);
        }
        return "0";
    }

    public static void Main(string[] arguments)
    {
        string key = arguments[0], folder = arguments[1];
        string text = File.ReadAllText(Path.Combine(folder, "map.txt")).Replace("\r", "");
        grid = text.Split('\n').Where(line => line.StartsWith("#")).ToList();
        bombs = Regex.Matches(text, @"\{x:(\d+),y:(\d+),fuse:\d+,radius:(\d+)\}").Cast<Match>()
            .Select(bomb => Enumerable.Range(1, 3).Select(i => int.Parse(bomb.Groups[i].Value)).ToArray()).ToList();
        int round = int.Parse(Regex.Match(text, @"Current Round: (\d+)").Groups[1].Value);
        ulong seed = ulong.Parse(Environment.GetEnvironmentVariable("JOUST_SEED") ?? "0");
        int luck = (int)(seed % 1000) + 7 * round;
        string own = Regex.Match(text, "Key: " + key + @"\n[\s\S]*?Bombs: ?(.*)").Groups[1].Value;
        File.WriteAllText(Path.Combine(folder, "move.txt"), Move(key, luck, !own.Contains("{")));
    }
}
