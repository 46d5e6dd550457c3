# Server of warm starts: a Ruby interpreter that stops at the end of its own start.
#
# It is started once with a bot's own command line. RUBYOPT has it load this file when it has opened the bot's file and
# before it reads that. Loading only sets a trap: the interpreter's next step, a call of the open file, serves. Every turn is a copy that
# returns from that call, so that Ruby itself reads the bot's file, runs it and ends it, and nothing is on the stack. Nothing of a bot
# runs before the copy is made, and the server sees nothing of a turn: the copy itself reads the arguments. What it speaks
# over descriptor 9 is in `crates/sandbox/src/launcher/server.rs`.

script = ObjectSpace.each_object(File).find { |file| !file.closed? && file.path == $0 }
channel = IO.for_fd(9, "r+b")
here = __FILE__

give_up = lambda do |reason|
  channel.syswrite("no #{reason}".b[0, 4000])
  exit!(1)
end
give_up.call("only Ruby 3.0 to 3.3 can be kept warm") if script.nil?

serve = lambda do
  verbose, $VERBOSE = $VERBOSE, nil
  fields = channel.sysread(1 << 16).split("\0", -1)
  clone, create_ruleset, add_rule, restrict_self, control, receive, duplicate, close, seek, wait =
    fields.shift(10).map(&:to_i)
  filter = [fields.shift].pack("H*")
  fields.shift(2)
  address = ->(text) { [text].pack("P").unpack1("J") }

  # Whoever is in a domain of this set signals nobody outside of it (Landlock, version 6), and moves files between
  # folders, which a set has to allow.
  moves = 1 << 13
  ruleset = begin
    syscall(create_ruleset, address.call([moves, 0, 2].pack("Q3")), 24, 0)
  rescue SystemCallError => error
    give_up.call("Landlock keeps no signals from other processes here: #{error.message}")
  end
  File.open("/") { |root| syscall(add_rule, ruleset, 1, address.call([moves, root.fileno].pack("Ql")), 0) }
  # The kernel's `struct sock_fprog`: how many statements, and where they are.
  program = [filter.bytesize / 8, address.call(filter)].pack("J2")
  # Keeps the copy, and all it starts, from the server.
  lock_in = lambda do
    syscall(restrict_self, ruleset, 0)
    syscall(control, 22, 2, address.call(program))
  end

  # The C library keeps the number of its thread; the kernel writes the copy's there.
  thread = "\0" * 32
  syscall(control, 40, address.call(thread))
  place = thread.unpack1("J")
  set_thread, clear_thread, child_signal, own_parent, close_on_exec = 0x01000000, 0x00200000, 17, 0x8000, 0x80000
  copy = ->(flags) { syscall(clone, flags | set_thread | clear_thread | child_signal, 0, 0, place, place) }
  # After an attempt to become another program Ruby makes anew what only one process can have: its timer, and descriptors
  # with which signals wake its threads. It insists that a copy has no timer yet, so the server must not get one.
  renew = lambda do
    exec(["/", "/"])
  rescue SystemCallError
    nil
  end
  fewest_signals, most_signals = Process.getrlimit(:SIGPENDING)
  Process.setrlimit(:SIGPENDING, 0, most_signals)
  renew.call
  renew_copy = lambda do
    Process.setrlimit(:SIGPENDING, fewest_signals, most_signals)
    renew.call
  end

  tried = copy.call(0)
  if tried.zero?
    begin
      lock_in.call
      renew_copy.call
      is_well = Process.pid == File.readlink("/proc/self").to_i && Thread.new { Process.pid }.value == Process.pid
      exit!(is_well ? 0 : 1)
    rescue Exception
      exit!(1)
    end
  end
  status = "\0" * 32
  syscall(wait, tried, address.call(status), 0, 0)
  give_up.call("a copy cannot be kept from its server") unless status.unpack1("l").zero?

  # As if this file had never been there.
  $LOADED_FEATURES.delete(here)
  ENV.delete("RUBYOPT")
  fields.each do |name|
    require name
  rescue LoadError
    nil
  end
  give_up.call("what it loads first starts threads") if Dir.children("/proc/self/task").size > 1
  opened = syscall(seek, script.fileno, 0, 1)
  4.times { GC.start }
  channel.syswrite("ready")

  byte, passed = "\0" * 32, "\0" * 64
  vector = [address.call(byte), 1].pack("J2")
  header = [0, 0, address.call(vector), 1, address.call(passed), passed.bytesize, 0].pack("J7")
  room = header.byteslice(40, 8)
  streams = nil
  loop do
    # The kernel writes there how much of it has come.
    header[40, 8] = room
    exit!(0) if syscall(receive, 9, address.call(header), 0).zero?
    streams = passed.byteslice(16, 16).unpack("l4")
    process = copy.call(own_parent)
    break if process.zero?
    streams.each { |stream| syscall(close, stream) }
    channel.syswrite([process].pack("l<"))
  end

  lock_in.call
  channel.close
  syscall(close, ruleset)
  *streams, told = streams
  streams.each_with_index do |stream, number|
    syscall(duplicate, stream, number, 0)
    syscall(close, stream)
  end
  told = IO.for_fd(told, "rb")
  folder, *arguments = told.read.split("\0", -1)[0..-2]
  told.close
  renew_copy.call
  # The file that is open is the server's, with the place where it is read.
  opened_anew = IO.sysopen($0)
  syscall(seek, opened_anew, opened, 0)
  syscall(duplicate, opened_anew, script.fileno, close_on_exec)
  syscall(close, opened_anew)
  Dir.chdir(folder)
  locale = Encoding.find("locale")
  ARGV.replace(arguments.map { |argument| argument.force_encoding(locale).freeze })
  $VERBOSE = verbose
end

File.define_method(:set_encoding) do |*arguments|
  File.remove_method(:set_encoding)
  begin
    serve.call
  rescue Exception => error
    STDERR.syswrite(error.full_message(highlight: false))
    exit!(1)
  end
  set_encoding(*arguments)
end
