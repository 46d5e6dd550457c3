# Opens a new connection for every game.
require 'socket'

loop do
  begin
    s = TCPSocket.open('uwcs.co.uk', 8037)
    while line = s.gets
      case line
      when /^INIT/ then s.write 'REGISTER ruby gem'
      when /^TICK (\d+)/ then s.write 'ACTION RIGHT'
      when /^END/ then break
      end
    end
    s.close
  rescue SystemCallError
    sleep 0.1
  end
end
