// A starter bot for BattleBots: it walks up to the other bot, fires
// missiles from afar and bullets from up to five squares.
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
import kotlin.math.abs

fun main(arguments: Array<String>) {
    println(choose(arguments.lastOrNull() ?: ""))
}

fun choose(view: String): String {
    val lines = view.split("\n")
    val grid = lines.take(10)
    val me = find(grid, 'Y') ?: return "NO"
    val foe = find(grid, 'X') ?: return "NO"
    val dx = foe.first - me.first
    val dy = foe.second - me.second
    val towards = direction(dx, dy)
    // Your ideas go here. Is a bullet coming (lines.drop(12))? Is a mine in the way?
    val aligned = dx == 0 || dy == 0 || abs(dx) == abs(dy)
    val weapon = if (abs(dx) > 5 || abs(dy) > 5) "M" else "B"
    return if (aligned) "$weapon $towards" else towards
}

fun find(grid: List<String>, symbol: Char): Pair<Int, Int>? {
    val y = grid.indexOfFirst { symbol in it }
    return if (y < 0) null else Pair(grid[y].indexOf(symbol), y)
}

fun direction(dx: Int, dy: Int): String {
    val northSouth = if (dy < 0) "N" else if (dy > 0) "S" else ""
    val eastWest = if (dx < 0) "W" else if (dx > 0) "E" else ""
    return northSouth + eastWest
}
