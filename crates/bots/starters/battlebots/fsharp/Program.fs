// A starter bot for BattleBots: it walks up to the other bot, fires
// missiles from afar and bullets from up to six squares.
//
// Joust starts this program once per turn. The last argument is the view:
//
//     ten lines of ten characters: . empty, Y you, X the other bot,
//         B bullet, M missile, L land mine
//     Y hp=10             your hit points
//     X hp=10             the other bot's
//     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
//     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
//     L x=6 y=0           ... per land mine (costs 2, splash 1)
//
// x grows to the east, y to the south, (0, 0) is the upper left corner.
//
// Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
// missile or mine, any direction); P (nobody moves for two turns, costs you 1).
// Anything else does nothing. `joust rules battlebots` has the whole story.
module Program

open System

/// The x and y of a symbol, when it is in the arena.
let find (grid: string[]) (symbol: char) =
    match Array.tryFindIndex (fun (row: string) -> row.IndexOf symbol >= 0) grid with
    | Some y -> Some(grid.[y].IndexOf symbol, y)
    | None -> None

let direction dx dy =
    let northSouth = if dy < 0 then "N" elif dy > 0 then "S" else ""
    let eastWest = if dx < 0 then "W" elif dx > 0 then "E" else ""
    northSouth + eastWest

let choose (view: string) =
    let lines = view.Split '\n'
    let grid = Array.truncate 10 lines

    match find grid 'Y', find grid 'X' with
    | Some(x, y), Some(foeX, foeY) ->
        let dx = foeX - x
        let dy = foeY - y
        let towards = direction dx dy
        // Your ideas go here. Is a bullet coming (lines 12 and later)? Is a mine in the way?
        let aligned = dx = 0 || dy = 0 || abs dx = abs dy
        let weapon = if abs dx > 6 || abs dy > 6 then "M " else "B "
        if aligned then weapon + towards else towards
    | _ -> "NO"

[<EntryPoint>]
let main arguments =
    let view = if arguments.Length > 0 then arguments.[arguments.Length - 1] else ""
    Console.WriteLine(choose view)
    0
