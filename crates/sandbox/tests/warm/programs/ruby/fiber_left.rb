fiber = Fiber.new { begin; Fiber.yield; ensure; puts "never"; end }
fiber.resume
puts "ends"
