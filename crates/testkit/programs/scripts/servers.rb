# What a bot can try against the Ruby interpreter that it is a copy of, and against the copies of later turns:
# `servers.rb <deed> [argument...] <view>`. It says `did` what worked, as the hostile program does.
require "json"
require "socket"

def say(text) = STDERR.syswrite("#{text}\n")

# Outside of a name space of its own there are processes that are nobody's business here.
def others
  around = Process.pid < 1000 ? [*1...64, *31_990...32_010] : []
  [Process.ppid, *around].uniq - [0, Process.pid]
end

def on_others(deed)
  others.each do |other|
    yield other
    say("did #{deed}")
  rescue Errno::ESRCH, Errno::ENOENT
    nil
  rescue SystemCallError => error
    say("refused #{deed}: #{error.class}")
  end
end

def kill
  on_others("open the memory") { |other| File.open("/proc/#{other}/mem", "r+").close }
  on_others("kill") { |other| Process.kill(:KILL, other) }
end

def stop = on_others("stop") { |other| Process.kill(:STOP, other) }

def fork_apart
  middle = fork do
    Process.setsid
    fork do
      yield
      sleep 20
    end
    exit!(0)
  end
  Process.wait(middle)
end

# Serves as the server does, on a descriptor that looks like its own, and stays.
def imitate
  ours, theirs = UNIXSocket.pair(:SEQPACKET)
  Process.spawn("true", 9 => theirs)
  [Process.pid, Process.ppid, 1, -1].each { |number| theirs.syswrite([number].pack("l<")) }
  fork_apart do
    Process.setproctitle("ruby")
    ["ready", "no ", "\2\0\0\0"].each { |word| theirs.syswrite(word) }
    say("did stay")
  end
  3.times { ours.sysread(16) }
end

# Leaves threads that never wait, and what is called at the end.
def leave_threads
  4.times { Thread.new { loop { 1 + 1 } } }
  say("did leave #{Thread.list.size - 1} threads")
  at_exit { say("at the end") }
end

# Waits for the next turn, in another session, to meet it.
def wait
  reader, writer = IO.pipe
  fork_apart do
    reader.close
    waiting = Socket.new(:UNIX, :STREAM)
    waiting.bind(Addrinfo.unix("\0joust-next-turn"))
    waiting.listen(1)
    say("did wait")
    writer.syswrite("+")
  end
  writer.close
  reader.read(1)
end

# Changes what was there before it: modules, what is built in, the environment, limits.
def change
  def JSON.mine = 1
  Integer.define_method(:mine) { 1 }
  $LOADED_FEATURES.clear
  $LOAD_PATH.clear
  $mine = 1
  srand(1)
  GC.disable
  ENV["MINE"] = "1"
  File.umask(0o777)
  Process.setrlimit(:NOFILE, 12)
  trap("TERM", "IGNORE")
  Process.setpriority(Process::PRIO_PROCESS, 0, 5)
  Thread.new { sleep }
  look
end

# Says what is not as it is when an interpreter starts.
def look
  {
    "module" => JSON.respond_to?(:mine), "built-in" => 1.respond_to?(:mine), "path" => $LOAD_PATH.empty?,
    "feature" => $LOADED_FEATURES.empty?, "variable" => !$mine.nil?, "chance" => Random.seed == 1, "collector" => GC.enable,
    "environment" => ENV.key?("MINE"), "mask" => File.umask(0o022) != 0o022, "limit" => Process.getrlimit(:NOFILE)[0] == 12,
    "signal" => trap("TERM", "DEFAULT") == "IGNORE", "priority" => Process.getpriority(Process::PRIO_PROCESS, 0) == 5,
    "thread" => Thread.list.size > 1 || Dir.children("/proc/self/task").size > 1,
  }.each { |name, is_changed| say("did see another #{name}") if is_changed }
  begin
    Socket.unix("\0joust-next-turn").close
    say("did meet an earlier turn")
  rescue SystemCallError
    nil
  end
end

# Looks in all of its memory for what only an earlier turn was told: every letter is the next one.
def search
  needle = ARGV[-2].bytes.map { |letter| letter - 1 }.pack("C*")
  File.foreach("/proc/self/maps") do |line|
    where, rights = line.split
    low, high = where.split("-").map(&:hex)
    next if !rights.start_with?("rw") || high - low > 32 << 20

    part = File.open("/proc/self/mem", "rb") { |memory| memory.pread(high - low, low) } rescue next
    at = -1
    # Its own needle has nothing like that before it.
    while (at = part.index(needle, at + 1))
      say("did find what was told") if at >= 5 && part.byteslice(at - 5, 5) == "told-"
    end
  end
end

def remember
  say("did hear #{ARGV[1]}")
  search
end

send(ARGV[0])
puts "N"
