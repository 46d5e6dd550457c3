using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

/// <summary>
/// Warden keeps its ships close together and raises the shield over whatever is being shot at. In between it shoots
/// along diagonals and finishes what it has hit.
/// Arguments: the own key and the folder with state.json; the answer is place.txt in phase 1 and command.txt in
/// phase 2, there.
/// </summary>
public static class Program
{
    private const int SingleShot = 1, PlaceShield = 8;

    public static void Main(string[] arguments)
    {
        var text = File.ReadAllText(Path.Combine(arguments[1], "state.json"));
        var answer = Decide(text, arguments[0], Environment.GetEnvironmentVariable("JOUST_SEED") ?? "");
        File.WriteAllText(Path.Combine(arguments[1], answer.Key), answer.Value, new ASCIIEncoding());
    }

    /// <summary>The name of the file to write, and its text.</summary>
    public static KeyValuePair<string, string> Decide(string text, string key, string seed)
    {
        var state = Json.Read(text);
        var side = state["MapDimension"].Number;
        var luck = new Random(Noise(seed + " " + key + " " + state["Round"].Number));
        if (state["Phase"].Number == 1)
        {
            var radius = state["PlayerMap"]["Owner"]["Shield"]["MaxRadius"].Number;
            return new KeyValuePair<string, string>("place.txt", Fleet.Place(side, radius, luck));
        }
        var centre = Fleet.Shield(state["PlayerMap"], side);
        var command = centre != null ? PlaceShield : SingleShot;
        var target = centre ?? Target(state["OpponentMap"], side, luck);
        return new KeyValuePair<string, string>("command.txt", command + "," + target[0] + "," + target[1] + "\n");
    }

    // A cell next to a hit, in line with two of them if possible; else one of a diagonal pattern.
    private static int[] Target(Json map, int side, Random luck)
    {
        var hit = new bool[side + 4, side + 4];
        foreach (var cell in map["Cells"].Items) hit[cell["X"].Number + 2, cell["Y"].Number + 2] = cell["Damaged"].IsTrue;
        var open = map["Cells"].Items
            .Where(cell => !cell["Damaged"].IsTrue && !cell["Missed"].IsTrue && !cell["ShieldHit"].IsTrue)
            .Select(cell => new[] { cell["X"].Number, cell["Y"].Number })
            .ToList();
        if (open.Count == 0) return new[] { 0, 0 };
        var best = open.GroupBy(cell => Promise(hit, cell)).OrderByDescending(group => group.Key).First().ToList();
        return best[luck.Next(best.Count)];
    }

    private static int Promise(bool[,] hit, int[] cell)
    {
        int x = cell[0] + 2, y = cell[1] + 2;
        if (hit[x - 1, y] && hit[x - 2, y] || hit[x + 1, y] && hit[x + 2, y]) return 3;
        if (hit[x, y - 1] && hit[x, y - 2] || hit[x, y + 1] && hit[x, y + 2]) return 3;
        if (hit[x - 1, y] || hit[x + 1, y] || hit[x, y - 1] || hit[x, y + 1]) return 2;
        return (cell[0] + cell[1]) % 2 == 0 ? 1 : 0;
    }

    // FNV-1a: repeatable, but different from bout to bout and from round to round.
    private static int Noise(string text)
    {
        return (int)(text.Aggregate(2166136261u, (hash, symbol) => unchecked((hash ^ symbol) * 16777619u)) & int.MaxValue);
    }
}
