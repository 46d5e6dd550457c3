using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;

/// <summary>
/// A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
///
/// Joust starts this program once per bout. It connects to the game, registers when it
/// reads INIT, learns the map, and sends one action after each TICK:
/// ACTION UP | DOWN | LEFT | RIGHT | BOMB. `joust rules uwcs-bomberman` has every line
/// that the game sends, and the whole story.
/// </summary>
public sealed class Program
{
    static readonly string[] Words = { "UP", "DOWN", "LEFT", "RIGHT" };
    static readonly int[][] Steps = { new[] { -1, 0 }, new[] { 1, 0 }, new[] { 0, -1 }, new[] { 0, 1 } };
    static readonly ulong Seed = ulong.Parse(Setting("JOUST_SEED", "1"));
    static readonly string Name = "starter-" + Seed % 100000;

    readonly Random luck = new Random((int)(Seed % int.MaxValue));
    readonly Dictionary<string, int[]> players = new Dictionary<string, int[]>();
    string[] grid = { };

    /// <summary>Returns an action. A square of the grid is 0 free, 1 rock, 2 pillar.</summary>
    string Choose()
    {
        // Your ideas go here. Where are bombs? Who is near? Is there a way out?
        var steps = new List<string>();
        foreach (string word in Words)
        {
            if (IsFree(Target(players[Name], word))) steps.Add(word);
        }
        return steps.Count == 0 ? "UP" : steps[luck.Next(steps.Count)];
    }

    static int[] Target(int[] square, string word)
    {
        int[] step = Steps[Array.IndexOf(Words, word)];
        return new[] { square[0] + step[0], square[1] + step[1] };
    }

    bool IsFree(int[] square)
    {
        return square[0] >= 0 && square[0] < grid.Length && square[1] >= 0
            && square[1] < grid[square[0]].Length && grid[square[0]][square[1]] == '0';
    }

    static string Setting(string name, string otherwise)
    {
        return Environment.GetEnvironmentVariable(name) ?? otherwise;
    }

    public static void Main()
    {
        int port = int.Parse(Setting("JOUST_PORT", "8037"));
        using (var client = new TcpClient(Setting("JOUST_HOST", "uwcs.co.uk"), port))
        {
            client.NoDelay = true;
            var text = new UTF8Encoding(false);
            var input = new StreamReader(client.GetStream(), text);
            var output = new StreamWriter(client.GetStream(), text) { AutoFlush = true, NewLine = "\n" };
            try
            {
                new Program().Play(input, output);
            }
            catch (IOException)
            {
                // The game is over: nobody is left to speak to.
            }
        }
    }

    void Play(StreamReader input, StreamWriter output)
    {
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            string[] words = line.Trim().Split(' ');
            int count;
            if (words.Length < 2 || !int.TryParse(words[1], out count)) count = 0;
            switch (words[0])
            {
                case "INIT":
                    output.WriteLine("REGISTER " + Name + " secret");
                    break;
                case "MAP":
                    grid = new string[count];
                    for (int row = 0; row < count; row++) grid[row] = input.ReadLine().Replace(" ", "");
                    break;
                case "PLAYERS":
                    players.Clear();
                    for (int i = 0; i < count; i++)
                    {
                        string[] entry = input.ReadLine().Split(' ');
                        players[entry[0]] = new[] { int.Parse(entry[1]), int.Parse(entry[2]) };
                    }
                    break;
                case "ACTIONS":
                    for (int i = 0; i < count; i++) Follow(input.ReadLine().Split(' '));
                    break;
                case "DEAD":
                    for (int i = 0; i < count; i++) players.Remove(input.ReadLine());
                    break;
                case "TICK":
                    if (players.ContainsKey(Name)) output.WriteLine("ACTION " + Choose());
                    break;
                default:
                    break; // echoes, scores and errors
            }
        }
    }

    void Follow(string[] entry)
    {
        int[] from;
        if (!players.TryGetValue(entry[0], out from) || Array.IndexOf(Words, entry[1]) < 0) return;
        int[] to = Target(from, entry[1]);
        if (IsFree(to)) players[entry[0]] = to;
    }
}
