module Louder
  refine String do
    def shout = upcase + "!"
  end
end
using Louder
puts "loud".shout
