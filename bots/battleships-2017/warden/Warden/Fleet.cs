using System;
using System.Collections.Generic;
using System.Linq;

/// <summary>The own ships: where they are put, and what a shield can do for them.</summary>
public static class Fleet
{
    public static readonly Dictionary<string, int> Lengths = new Dictionary<string, int>
    {
        { "Carrier", 5 }, { "Battleship", 4 }, { "Cruiser", 3 }, { "Submarine", 3 }, { "Destroyer", 2 },
    };

    private const int Trials = 30;

    // A shield lasts a round per charge, and raising it costs one.
    private const int EnoughCharges = 3;

    /// <summary>The lines of place.txt: of many random fleets the one that a shield covers most of.</summary>
    public static string Place(int side, int radius, Random luck)
    {
        var best = new List<string>();
        var most = -1;
        for (var trial = 0; trial < Trials; trial++)
        {
            var cells = new bool[side, side];
            var lines = Lengths.Select(ship => PlaceOne(ship.Key, ship.Value, side, cells, luck)).ToList();
            var covered = AllCentres(side).Max(centre => Covered(cells, centre, radius));
            if (covered <= most) continue;
            most = covered;
            best = lines;
        }
        return string.Join("\n", best) + "\n";
    }

    private static string PlaceOne(string name, int length, int side, bool[,] taken, Random luck)
    {
        for (;;)
        {
            var east = luck.Next(2);
            var x = luck.Next(side - east * (length - 1));
            var y = luck.Next(side - (1 - east) * (length - 1));
            var line = Enumerable.Range(0, length).ToList();
            if (line.Any(n => taken[x + n * east, y + n * (1 - east)])) continue;
            foreach (var n in line) taken[x + n * east, y + n * (1 - east)] = true;
            return name + " " + x + " " + y + " " + (east == 1 ? "East" : "North");
        }
    }

    /// <summary>
    /// The centre of the shield to raise now, or null. A shield is raised when somebody is shooting at a ship, over as
    /// many cells as possible of ships that are hit, then of others.
    /// </summary>
    public static int[] Shield(Json map, int side)
    {
        var owner = map["Owner"];
        var shield = owner["Shield"];
        if (shield["Active"].IsTrue || shield["CurrentCharges"].Number < EnoughCharges) return null;
        var wounded = new bool[side, side];
        var whole = new bool[side, side];
        foreach (var ship in owner["Ships"].Items.Where(ship => !ship["Destroyed"].IsTrue))
        {
            var marks = ship["Cells"].Items.Any(cell => cell["Hit"].IsTrue) ? wounded : whole;
            foreach (var cell in ship["Cells"].Items.Where(cell => !cell["Hit"].IsTrue)) marks[cell["X"].Number, cell["Y"].Number] = true;
        }
        var radius = shield["CurrentRadius"].Number;
        var best = AllCentres(side).OrderByDescending(centre => 20 * Covered(wounded, centre, radius) + Covered(whole, centre, radius)).First();
        return Covered(wounded, best, radius) > 0 ? best : null;
    }

    private static IEnumerable<int[]> AllCentres(int side)
    {
        for (var x = 0; x < side; x++)
            for (var y = 0; y < side; y++) yield return new[] { x, y };
    }

    private static int Covered(bool[,] cells, int[] centre, int radius)
    {
        var last = cells.GetLength(0) - 1;
        var covered = 0;
        for (var x = Math.Max(0, centre[0] - radius); x <= Math.Min(last, centre[0] + radius); x++)
            for (var y = Math.Max(0, centre[1] - radius); y <= Math.Min(last, centre[1] + radius); y++)
                if (cells[x, y]) covered++;
        return covered;
    }
}
