3.times { |number| ObjectSpace.define_finalizer(Object.new, proc { |id| puts "gone #{number} #{id.class}" }) }
$stays = Object.new
ObjectSpace.define_finalizer($stays, proc { puts "at the end" })
puts "main"
