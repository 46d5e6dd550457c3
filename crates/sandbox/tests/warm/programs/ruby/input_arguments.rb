ARGV.clear
p gets, readlines
