// Does nothing, but reads its input as a bot would: Joust times it.
module Program

open System
open System.IO

[<EntryPoint>]
let main arguments =
    let request = if arguments.Length > 0 then arguments.[arguments.Length - 1] else ""

    if Directory.Exists request then
        for path in Directory.GetFiles request do
            File.ReadAllText path |> ignore

        File.WriteAllText(Path.Combine(request, "move.txt"), "0\n")
        File.WriteAllText(Path.Combine(request, "command.txt"), "0,0,0\n")
    else
        request.Split '\n' |> ignore

    Console.WriteLine "NO"
    0
