require "socket"
one, two = UNIXSocket.pair
one.write("hello")
p two.readpartial(5), one.fileno
server = TCPServer.new("127.0.0.1", 0)
Thread.new { server.accept.write("served") }
p TCPSocket.new("127.0.0.1", server.addr[1]).read(6)
