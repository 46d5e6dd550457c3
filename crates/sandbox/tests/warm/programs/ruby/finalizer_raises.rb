$stays = Object.new
ObjectSpace.define_finalizer($stays, proc { raise "unheard" })
at_exit { puts "exit" }
