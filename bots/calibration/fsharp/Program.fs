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
    else
        request.Split '\n' |> ignore

    Console.WriteLine "NO"
    0
