p ARGV, ARGV.map(&:encoding), ARGV.map(&:frozen?), $*.equal?(ARGV)
