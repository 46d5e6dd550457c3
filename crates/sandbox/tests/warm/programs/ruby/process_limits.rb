Process.setrlimit(:NOFILE, 20)
files = []
begin
  loop { files << File.open("/dev/null") }
rescue SystemCallError => error
  p error.class, files.size
end
