# Random does anything, but nothing silly: a step to any side, or a bullet or a
# missile roughly towards the other bot. Every choice is drawn from JOUST_SEED
# and the view alone, so a bout can be played again.
require "zlib"

# In the order of the compass, so that neighbours differ by 45 degrees.
STEPS = [[0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]].freeze
NAMES = %w[N NE E SE S SW W NW].freeze

def choose(view, seed)
  lines = view.b.split("\n").first(10)
  me = find(lines, "Y")
  foe = find(lines, "X")
  return "NO" unless me && foe

  luck = Zlib.crc32("#{seed}\n".b + view.b)
  luck ^= luck >> 16
  step = (luck >> 1) % 8
  return NAMES[step] if luck.even? && inside?(me, STEPS[step])

  towards = STEPS.index([foe[0] <=> me[0], foe[1] <=> me[1]])
  weapon = (luck >> 4).even? ? "B" : "M"
  spread = [0, 0, -1, 1][(luck >> 5) % 4]
  "#{weapon} #{NAMES[(towards + spread) % 8]}"
end

# Row and column 0 are walls under the original rules.
def inside?(square, step)
  square.zip(step).all? { |at, by| (at + by).between?(1, 9) }
end

def find(lines, symbol)
  y = lines.index { |line| line.include?(symbol) }
  y && [lines[y].index(symbol), y]
end

puts choose(ARGV.last || "", ENV["JOUST_SEED"]) if $PROGRAM_NAME == __FILE__
