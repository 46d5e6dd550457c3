using System;
using System.IO;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

class CsNames
{
    static void Main()
    {
        foreach (string name in new[] { "localhost", Dns.GetHostName(), "uwcs.co.uk" })
        {
            Console.Error.WriteLine(name + " " + Dns.GetHostAddresses(name)[0]);
        }
        NetworkInterface.GetAllNetworkInterfaces();
        int port = int.Parse(Environment.GetEnvironmentVariable("JOUST_PORT"));
        using (var client = new TcpClient("localhost", port))
        {
            var input = new StreamReader(client.GetStream());
            var output = new StreamWriter(client.GetStream()) { AutoFlush = true, NewLine = "\n" };
            for (string line = input.ReadLine(); line != null; line = input.ReadLine())
            {
                if (line == "INIT") output.WriteLine("REGISTER sharp pw");
                if (line.StartsWith("TICK")) output.WriteLine("ACTION UP");
            }
        }
    }
}
