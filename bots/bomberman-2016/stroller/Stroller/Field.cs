using System;
using System.Collections.Generic;

/// <summary>A bomb: the rounds until it is due, and until it goes off, which may be sooner.</summary>
public sealed class Bomb
{
    public int X, Y, Due, GoesOff, Radius;
}

/// <summary>The map, the bombs on it, and which ways lead through the next rounds alive.</summary>
public sealed class Field
{
    public const int Nothing = 0, Plant = 5;

    /// <summary>Nothing, up, left, right, down: what the commands 0 to 4 do.</summary>
    public static readonly int[] StepX = { 0, 0, -1, 1, 0 }, StepY = { 0, -1, 0, 0, 1 };

    // Rounds, longer than any fuse.
    private const int Ahead = 12;

    private readonly List<Bomb> bombs = new List<Bomb>();
    private readonly char[,] ground;
    private readonly bool[,] taken;

    public readonly int Width, Height, Round;
    public int X, Y, Bag, Radius;

    public Field(Json state, string key)
    {
        Width = state["MapWidth"].Number;
        Height = state["MapHeight"].Number;
        Round = state["CurrentRound"].Number;
        ground = new char[Width + 2, Height + 2];
        taken = new bool[Width + 2, Height + 2];
        foreach (var player in state["RegisteredPlayerEntities"].Items) AddPlayer(player, key);
        foreach (var column in state["GameBlocks"].Items)
            foreach (var block in column.Items) AddBlock(block, key);
    }

    private void AddPlayer(Json player, string key)
    {
        int x = player["Location"]["X"].Number, y = player["Location"]["Y"].Number;
        if (player["Key"].Text == key)
        {
            X = x;
            Y = y;
            Bag = player["BombBag"].Number;
            Radius = player["BombRadius"].Number;
        }
        else if (!player["Killed"].IsTrue)
        {
            taken[x, y] = true;
        }
    }

    private void AddBlock(Json block, string key)
    {
        int x = block["Location"]["X"].Number, y = block["Location"]["Y"].Number;
        var type = block["Entity"]["$type"].Text;
        if (type.Contains(".Indestructible")) ground[x, y] = '#';
        else if (type.Contains(".Destructible")) ground[x, y] = '+';
        var bomb = block["Bomb"];
        if (bomb.IsNull) return;
        bombs.Add(new Bomb { X = x, Y = y, Due = bomb["BombTimer"].Number, Radius = bomb["BombRadius"].Number });
        if (bomb["Owner"]["Key"].Text == key) Bag--;
    }

    /// <summary>Whether a bomb may be planted here, and hits a wall or a player.</summary>
    public bool IsWorthABomb()
    {
        if (Bag <= 0 || bombs.Exists(bomb => bomb.X == X && bomb.Y == Y)) return false;
        foreach (var index in Blast(new Bomb { X = X, Y = Y, Radius = Radius }))
            if (ground[index % (Width + 2), index / (Width + 2)] == '+' || taken[index % (Width + 2), index / (Width + 2)]) return true;
        return false;
    }

    /// <summary>Whether we need not die after planting here.</summary>
    public bool SurvivesPlanting(int totalBag)
    {
        bombs.Add(new Bomb { X = X, Y = Y, Due = 2 + Math.Min(9, 3 * totalBag), Radius = Radius });
        var lasts = Lasting(Plant).Count > 0;
        bombs.RemoveAt(bombs.Count - 1);
        return lasts;
    }

    /// <summary>The first commands after which we need not die; a `first` of 0 or more tries only that one.</summary>
    public SortedSet<int> Lasting(int first)
    {
        var fires = Fires();
        var edge = new int[Width + 2, Height + 2];
        edge[X, Y] = 1;
        for (var n = 1; n <= Ahead; n++)
        {
            var reached = new int[Width + 2, Height + 2];
            for (var y = 1; y <= Height; y++)
                for (var x = 1; x <= Width; x++)
                    if (edge[x, y] != 0 && !fires[n].Contains(Index(x, y))) Spread(edge, reached, fires[n], x, y, n, first);
            edge = reached;
        }
        var commands = new SortedSet<int>();
        foreach (var firsts in edge)
            for (var command = 0; command <= Plant; command++)
                if ((firsts >> command & 1) != 0) commands.Add(command);
        return commands;
    }

    private void Spread(int[,] edge, int[,] reached, HashSet<int> fire, int x, int y, int round, int first)
    {
        var moves = round == 1 && first >= 0 ? 1 : StepX.Length;
        for (var command = 0; command < moves; command++)
        {
            int nextX = x + StepX[command], nextY = y + StepY[command];
            if (fire.Contains(Index(nextX, nextY)) || command != Nothing && !IsOpen(nextX, nextY, round)) continue;
            reached[nextX, nextY] |= round > 1 ? edge[x, y] : 1 << (first >= 0 ? first : command);
        }
    }

    private int Index(int x, int y)
    {
        return y * (Width + 2) + x;
    }

    private bool IsOpen(int x, int y, int round)
    {
        var shut = bombs.Exists(bomb => bomb.X == x && bomb.Y == y && bomb.GoesOff >= round);
        return ground[x, y] == '\0' && !taken[x, y] && !shut;
    }

    private List<int> Blast(Bomb bomb)
    {
        var covered = new List<int> { Index(bomb.X, bomb.Y) };
        for (var command = 1; command < StepX.Length; command++)
        {
            for (var n = 1; n <= bomb.Radius; n++)
            {
                int x = bomb.X + n * StepX[command], y = bomb.Y + n * StepY[command];
                if (ground[x, y] == '#') break;
                covered.Add(Index(x, y));
                if (ground[x, y] == '+' || bombs.Exists(other => other.X == x && other.Y == y)) break;
            }
        }
        return covered;
    }

    // What burns in each of the next rounds. A bomb in the blast of another explodes with it; walls and bombs that are
    // gone do not stop a later blast.
    private HashSet<int>[] Fires()
    {
        var allBombs = bombs.ToArray();
        var allGround = (char[,])ground.Clone();
        var fires = new HashSet<int>[Ahead + 1];
        for (var n = 0; n <= Ahead; n++)
        {
            fires[n] = new HashSet<int>();
            var exploding = bombs.FindAll(bomb => bomb.Due <= n);
            for (var i = 0; i < exploding.Count; i++)
            {
                fires[n].UnionWith(Blast(exploding[i]));
                exploding.AddRange(bombs.FindAll(bomb => fires[n].Contains(Index(bomb.X, bomb.Y)) && !exploding.Contains(bomb)));
            }
            foreach (var bomb in exploding) bomb.GoesOff = n;
            bombs.RemoveAll(exploding.Contains);
            foreach (var index in fires[n])
                if (ground[index % (Width + 2), index / (Width + 2)] == '+') ground[index % (Width + 2), index / (Width + 2)] = '\0';
        }
        bombs.Clear();
        bombs.AddRange(allBombs);
        Array.Copy(allGround, ground, ground.Length);
        return fires;
    }
}
