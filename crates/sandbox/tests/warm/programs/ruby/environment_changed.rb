ENV["PATH"] = "/nowhere"
ENV.delete("HOME")
p ENV["PATH"], (system("true")).inspect, Dir.home rescue p $!.class
