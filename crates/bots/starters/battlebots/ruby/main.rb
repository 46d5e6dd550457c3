# A starter bot for BattleBots: it walks up to the other bot, fires
# missiles from afar and bullets from up to three squares.
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

def choose(view)
  lines = view.split("\n")
  grid = lines.first(10)
  me = find(grid, "Y")
  foe = find(grid, "X")
  return "NO" unless me && foe

  dx = foe[0] - me[0]
  dy = foe[1] - me[1]
  towards = direction(dx, dy)
  # Your ideas go here. Is a bullet coming (lines.drop(12))? Is a mine in the way?
  aligned = dx.zero? || dy.zero? || dx.abs == dy.abs
  weapon = [dx.abs, dy.abs].max > 3 ? "M" : "B"
  aligned ? "#{weapon} #{towards}" : towards
end

# The x and y of a symbol, or nil.
def find(grid, symbol)
  y = grid.index { |row| row.include?(symbol) }
  y && [grid[y].index(symbol), y]
end

def direction(dx, dy)
  north_south = ["", "S", "N"][dy <=> 0]
  east_west = ["", "E", "W"][dx <=> 0]
  north_south + east_west
end

puts choose(ARGV.last || "")
