class Kept; attr_accessor :x; end
kept = Kept.new
kept.x = [1, { "a" => :b }]
p Marshal.load(Marshal.dump(kept)).x, (Marshal.dump(proc {}) rescue $!.message)
