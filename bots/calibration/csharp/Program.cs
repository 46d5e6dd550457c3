// Does nothing, but reads its input as a bot would: Joust times it.
using System;
using System.IO;

public static class Program
{
    public static void Main(string[] arguments)
    {
        string request = arguments.Length > 0 ? arguments[arguments.Length - 1] : "";
        if (Directory.Exists(request))
        {
            foreach (string path in Directory.GetFiles(request))
            {
                File.ReadAllText(path);
            }
            File.WriteAllText(Path.Combine(request, "move.txt"), "0\n");
            File.WriteAllText(Path.Combine(request, "command.txt"), "0,0,0\n");
        }
        else
        {
            request.Split('\n');
        }
        Console.WriteLine("NO");
    }
}
