# A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
#
# Joust starts this program once per bout. It connects to the game, registers when it
# reads INIT, learns the map, and sends one action after each TICK:
#
#     ACTION UP | DOWN | LEFT | RIGHT | BOMB
#
# `joust rules uwcs-bomberman` has every line that the game sends, and the whole story.

require "socket"

HOST = ENV.fetch("JOUST_HOST", "uwcs.co.uk")
PORT = Integer(ENV.fetch("JOUST_PORT", "8037"))
SEED = Integer(ENV.fetch("JOUST_SEED", "1"))
NAME = "starter-#{SEED % 100_000}"
STEPS = { "UP" => [-1, 0], "DOWN" => [1, 0], "LEFT" => [0, -1], "RIGHT" => [0, 1] }.freeze
LUCK = Random.new(SEED)

def target(square, word)
  [square[0] + STEPS[word][0], square[1] + STEPS[word][1]]
end

def free?(grid, square)
  row, column = square
  row >= 0 && column >= 0 && grid.dig(row, column) == "0"
end

# Returns an action. `grid[row][column]` is "0" free, "1" rock, "2" pillar.
def choose(grid, players)
  # Your ideas go here. Where are bombs? Who is near? Is there a way out?
  STEPS.keys.select { |word| free?(grid, target(players[NAME], word)) }.sample(random: LUCK) || "UP"
end

server = TCPSocket.new(HOST, PORT)
server.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
grid = []
players = {}
begin
  while (line = server.gets)
    word, count = line.split
    count = count.to_i
    case word
    when "INIT" then server.write("REGISTER #{NAME} secret\n")
    when "MAP" then grid = Array.new(count) { server.gets.split }
    when "PLAYERS"
      entries = Array.new(count) { server.gets.split }
      players = entries.to_h { |name, row, column| [name, [row.to_i, column.to_i]] }
    when "ACTIONS"
      count.times do
        name, action = server.gets.split
        next unless players.key?(name) && STEPS.key?(action)

        to = target(players[name], action)
        players[name] = to if free?(grid, to)
      end
    when "DEAD" then count.times { players.delete(server.gets.strip) }
    when "TICK"
      server.write("ACTION #{choose(grid, players)}\n") if players.key?(NAME)
    end
  end
rescue SystemCallError
  nil # the game is over
end
