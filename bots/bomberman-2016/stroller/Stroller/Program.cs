using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

/// <summary>
/// Stroller goes anywhere at random, plants a bomb now and then, and takes care only not to die of what lies about.
/// Arguments: the own key and the folder with state.json; the answer is the first character of move.txt there.
/// </summary>
public static class Program
{
    public static void Main(string[] arguments)
    {
        var state = Json.Read(File.ReadAllText(Path.Combine(arguments[1], "state.json")));
        var seed = Environment.GetEnvironmentVariable("JOUST_SEED") ?? "";
        var command = Choose(state, arguments[0], seed);
        File.WriteAllText(Path.Combine(arguments[1], "move.txt"), command + "\r\n", new ASCIIEncoding());
    }

    public static int Choose(Json state, string key, string seed)
    {
        var field = new Field(state, key);
        var luck = Noise(seed + " " + key + " " + field.Round);
        var totalBag = state["RegisteredPlayerEntities"].Items.First(player => player["Key"].Text == key)["BombBag"].Number;
        if (luck % 2 == 0 && field.IsWorthABomb() && field.SurvivesPlanting(totalBag)) return Field.Plant;
        var lasting = field.Lasting(-1).ToList();
        // Standing still for long is boring, and after 20 rounds deadly.
        if (lasting.Count > 1) lasting.Remove(Field.Nothing);
        return lasting.Count == 0 ? Field.Nothing : lasting[(int)(luck / 2 % (uint)lasting.Count)];
    }

    // FNV-1a: repeatable, but different from bout to bout and from round to round.
    private static uint Noise(string text)
    {
        var sum = text.Aggregate(2166136261u, (hash, symbol) => unchecked((hash ^ symbol) * 16777619u));
        return sum ^ sum >> 15;
    }
}
