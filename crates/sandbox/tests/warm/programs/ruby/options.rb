require "optparse"
OptionParser.new { |o| o.on("-v") { p :v } }.parse!(%w[-v rest])
begin
  OptionParser.new.parse!(%w[--unknown])
rescue OptionParser::ParseError => error
  puts error.message
end
