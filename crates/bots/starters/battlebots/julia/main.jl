# A starter bot for BattleBots: it walks up to the other bot, fires
# missiles from afar and bullets from up to two squares.
#
# Joust starts this program once per turn. The last argument is the view:
#
#     ten lines of ten characters: . empty, Y you, X the other bot,
#         B bullet, M missile, L land mine
#     Y hp=10             your hit points
#     X hp=10             the other bot's
#     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
#     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
#     L x=6 y=0           ... per land mine (costs 2, splash 1)
#
# x grows to the east, y to the south, (0, 0) is the upper left corner.
#
# Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
# missile or mine, any direction); P (nobody moves for two turns, costs you 1).
# Anything else does nothing. `joust rules battlebots` has the whole story.

"The x and y of a symbol, or nothing when it is not in the arena."
function locate(grid, symbol)
    for (y, row) in enumerate(grid)
        x = findfirst(symbol, row)
        x === nothing || return (x - 1, y - 1)
    end
    return nothing
end

function direction(dx, dy)
    north_south = dy < 0 ? "N" : dy > 0 ? "S" : ""
    east_west = dx < 0 ? "W" : dx > 0 ? "E" : ""
    return north_south * east_west
end

function choose(view)
    lines = split(view, '\n')
    grid = lines[1:min(10, end)]
    me = locate(grid, 'Y')
    foe = locate(grid, 'X')
    (me === nothing || foe === nothing) && return "NO"
    dx, dy = foe .- me
    towards = direction(dx, dy)
    # Your ideas go here. Is a bullet coming (lines[13:end])? Is a mine in the way?
    aligned = dx == 0 || dy == 0 || abs(dx) == abs(dy)
    weapon = max(abs(dx), abs(dy)) > 2 ? "M " : "B "
    return aligned ? weapon * towards : towards
end

println(choose(isempty(ARGS) ? "" : last(ARGS)))
