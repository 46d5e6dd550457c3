// A starter bot for Battleships (Entelect Challenge 2017): it hunts on every second square.
//
// Joust starts this program once per round with two arguments: your key (A or B) and a
// folder with `state.json` and `map.txt`. Leave your answer in that folder: in phase 1
// `place.txt`, five lines such as `Carrier 0 0 East`; in phase 2 `command.txt`, one line
// `code,x,y` (code 1 is a single shot). (0, 0) is the lower left corner, y grows to the north.
// `joust rules battleships-2017` has the other weapons and the shield.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

public static class Program
{
    static readonly string[] Fleet = { "Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer" };

    // The opponent's squares, lowest row first: ~ unknown, * hit, ! missed, @ shield.
    static readonly List<string> Rows = new List<string>();
    static int round, phase;

    static void Read(string path)
    {
        bool theirs = false;
        foreach (string line in File.ReadAllLines(path))
        {
            if (line.StartsWith("Round Number :")) round = Number(line);
            if (line.StartsWith("Phase :")) phase = Number(line);
            if (line.StartsWith("#")) theirs = line.EndsWith("Opponent");
            else if (theirs) Rows.Insert(0, line);
        }
    }

    static int Number(string line) { return int.Parse(line.Substring(line.IndexOf(':') + 1)); }

    static string Place()
    {
        // Your ideas go here: any five lines that do not cross and stay on the map.
        return string.Concat(Fleet.Select((ship, y) => ship + " 0 " + y + " East\n"));
    }

    static char Symbol(int x, int y)
    {
        return y >= 0 && y < Rows.Count && x >= 0 && x < Rows[y].Length ? Rows[y][x] : ' ';
    }

    static bool IsNear(int x, int y)
    {
        return Symbol(x - 1, y) == '*' || Symbol(x + 1, y) == '*' || Symbol(x, y - 1) == '*' || Symbol(x, y + 1) == '*';
    }

    static string Command(int luck)
    {
        var all = new List<int[]>();
        for (int y = 0; y < Rows.Count; y++)
            for (int x = 0; x < Rows[y].Length; x++)
                if (Symbol(x, y) == '~') all.Add(new[] { x, y });
        // Your ideas go here: seeker missiles, shields, what must be sunk already ...
        var near = all.Where(at => IsNear(at[0], at[1])).ToList();
        var second = all.Where(at => (at[0] + at[1]) % 2 == 0).ToList();
        var targets = near.Any() ? near : second.Any() ? second : all;
        if (!targets.Any()) return "0,0,0\n";
        int[] shot = targets[(luck + 31 * round) % targets.Count];
        return "1," + shot[0] + "," + shot[1] + "\n";
    }

    public static void Main(string[] arguments)
    {
        string folder = arguments[1];
        Read(Path.Combine(folder, "map.txt"));
        ulong seed = ulong.Parse(Environment.GetEnvironmentVariable("JOUST_SEED") ?? "0");
        if (phase == 1) File.WriteAllText(Path.Combine(folder, "place.txt"), Place());
        else File.WriteAllText(Path.Combine(folder, "command.txt"), Command((int)(seed % 1000)));
    }
}
