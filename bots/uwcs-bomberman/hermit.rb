# Lays no bomb, ever: keeps clear of blasts and as far from everybody as it can,
# and lives on the points of those who blow each other up.

require "set"
require "socket"

STEPS = { "UP" => [-1, 0], "DOWN" => [1, 0], "LEFT" => [0, -1], "RIGHT" => [0, 1] }.freeze
STAY = [0, 0].freeze
REACH = 3
NAME = "hermit-#{Integer(ENV["JOUST_SEED"] || Process.pid) % 100_000}"

# The map, the bombs and where everybody is.
class Field
  attr_accessor :grid, :players, :fuse

  def initialize
    @grid = []
    @players = {}
    @bombs = {}
    @fuse = 4
  end

  def turn(actions)
    fresh = Set.new
    actions.each do |name, action|
      here = @players[name] or next
      if action == "BOMB"
        fresh << here unless @bombs.key?(here)
        @bombs[here] ||= @fuse + 1
      elsif STEPS.key?(action)
        target = add(here, STEPS[action])
        @players[name] = target if free?(@grid, target) && (!@bombs.key?(target) || fresh.include?(target))
      end
    end
    strike(@grid, @bombs)
  end

  # The best of the steps that end in no blast; nil when all are equally bad.
  def choose
    here = @players[NAME]
    layer = { here => { nil => 1 } }
    grid = @grid.map(&:dup)
    bombs = @bombs.dup
    (@fuse + 2).times do |depth|
      before = grid.map(&:dup)
      blocked = bombs.keys.to_set
      hit = strike(grid, bombs)
      layer = advance(layer, depth, hit) { |square| free?(before, square) && !blocked.include?(square) }
    end
    freedom = Hash.new(0)
    layer.each_value { |firsts| firsts.each { |first, ways| freedom[first] += ways } }
    # To wait in the open keeps the clock waiting: rather pace up and down.
    freedom.delete(STAY) if freedom.size > 1 && word(here, STAY).nil?
    best = freedom.max_by { |first, ways| [room(add(here, first)), ways] }
    best ? word(here, best[0]) : nil
  end

  private

  def add(square, step) = [square[0] + step[0], square[1] + step[1]]

  def inside?(square)
    square[0].between?(0, @grid.size - 1) && square[1].between?(0, @grid[0].size - 1)
  end

  def free?(grid, square) = inside?(square) && grid[square[0]][square[1]] == "0"

  # Ages the bombs and lets go off those that are due; returns the squares hit.
  def strike(grid, bombs)
    bombs.transform_values! { |left| left - 1 }
    going = bombs.select { |_, left| left <= 0 }.keys
    hit = Set.new
    until going.empty?
      bomb = going.pop
      next unless bombs.delete(bomb)

      hit << bomb
      STEPS.each_value { |step| hit.merge(ray(grid, bomb, step)) }
      going.concat(bombs.keys.select { |other| hit.include?(other) })
    end
    hit.each { |row, column| grid[row][column] = "0" if grid[row][column] == "1" }
    hit
  end

  def ray(grid, square, step)
    squares = []
    REACH.times do
      square = add(square, step)
      break unless inside?(square)

      squares << square
      break unless grid[square[0]][square[1]] == "0"
    end
    squares
  end

  # The squares alive one turn on, with the ways there by their first step.
  def advance(layer, depth, hit)
    following = {}
    layer.each do |square, firsts|
      [STAY, *STEPS.values].each do |step|
        target = add(square, step)
        next if hit.include?(target) || (step != STAY && !yield(target))

        into = (following[target] ||= Hash.new(0))
        firsts.each { |first, ways| into[depth.zero? ? step : first] += ways }
      end
    end
    following
  end

  # How far the nearest other is, as far as it matters.
  def room(square)
    others = @players.reject { |name, _| name == NAME }.values
    others.map { |row, column| (row - square[0]).abs + (column - square[1]).abs }.min.to_i.clamp(0, 8)
  end

  # Walking against something is standing still, and tells the clock so.
  def word(here, step)
    return STEPS.key(step) unless step == STAY

    STEPS.keys.find do |name|
      target = add(here, STEPS[name])
      !free?(@grid, target) || @bombs.key?(target)
    end
  end
end

host = ENV["JOUST_HOST"] || "uwcs.co.uk"
server = TCPSocket.new(host, Integer(ENV["JOUST_PORT"] || 8037))
server.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
field = Field.new
is_first = true
begin
  while (line = server.gets)
    word, count = line.split
    count = count.to_i
    case word
    when "INIT" then server.write("REGISTER #{NAME} secret\n")
    when "MAP"
      field = Field.new
      is_first = true
      field.grid = Array.new(count) { server.gets.split }
    when "PLAYERS"
      field.players = Array.new(count) { server.gets.split }.to_h { |name, row, column| [name, [row.to_i, column.to_i]] }
    when "ACTIONS" then field.turn(Array.new(count) { server.gets.split })
    when "DEAD" then count.times { field.players.delete(server.gets.strip) }
    when "TICK"
      # The server that counts from 0 has the longer fuse.
      field.fuse = count.zero? ? 5 : 4 if is_first
      is_first = false
      action = field.players.key?(NAME) ? field.choose : nil
      server.write("ACTION #{action}\n") if action
    end
  end
rescue SystemCallError
  nil # the game is over
end
