using System.Collections.Generic;
using System.Globalization;
using System.Text;

/// <summary>A small reader of JSON: enough for the files of the game, no errors told.</summary>
public sealed class Json
{
    private static readonly Json Nothing = new Json();

    private readonly Dictionary<string, Json> fields = new Dictionary<string, Json>();

    /// <summary>The items of a list.</summary>
    public readonly List<Json> Items = new List<Json>();

    /// <summary>The text of a string, or the word of anything else that has no parts.</summary>
    public string Text = "";

    public bool IsNull { get { return Text == "null" || this == Nothing; } }
    public bool IsTrue { get { return Text == "true"; } }

    public int Number
    {
        get
        {
            double number;
            double.TryParse(Text, NumberStyles.Float, CultureInfo.InvariantCulture, out number);
            return (int)number;
        }
    }

    /// <summary>The field of that name; a null where there is none.</summary>
    public Json this[string name]
    {
        get
        {
            Json field;
            return fields.TryGetValue(name, out field) ? field : Nothing;
        }
    }

    public static Json Read(string text)
    {
        var at = 0;
        return Value(text, ref at);
    }

    private static Json Value(string text, ref int at)
    {
        var json = new Json();
        switch (Next(text, ref at))
        {
            case '{':
                at++;
                while (Next(text, ref at) == '"')
                {
                    var name = String(text, ref at);
                    Skip(text, ref at, ':');
                    json.fields[name] = Value(text, ref at);
                    Skip(text, ref at, ',');
                }
                Skip(text, ref at, '}');
                break;
            case '[':
                at++;
                while (at < text.Length && Next(text, ref at) != ']')
                {
                    json.Items.Add(Value(text, ref at));
                    Skip(text, ref at, ',');
                }
                Skip(text, ref at, ']');
                break;
            case '"':
                json.Text = String(text, ref at);
                break;
            default:
                var start = at;
                while (at < text.Length && (char.IsLetterOrDigit(text[at]) || "+-.".IndexOf(text[at]) >= 0)) at++;
                json.Text = text.Substring(start, at - start);
                if (at == start) at++;
                break;
        }
        return json;
    }

    private static char Next(string text, ref int at)
    {
        while (at < text.Length && char.IsWhiteSpace(text[at])) at++;
        return at < text.Length ? text[at] : '\0';
    }

    private static void Skip(string text, ref int at, char symbol)
    {
        if (Next(text, ref at) == symbol) at++;
    }

    // No name that is looked for has an escape in it.
    private static string String(string text, ref int at)
    {
        var result = new StringBuilder();
        for (at++; at < text.Length && text[at] != '"'; at++)
        {
            if (text[at] == '\\') at++;
            if (at < text.Length) result.Append(text[at]);
        }
        at++;
        return result.ToString();
    }
}
