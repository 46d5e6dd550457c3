fiber = Fiber.new { |x| y = Fiber.yield(x * 2); y + 1 }
p fiber.resume(4), fiber.resume(10), fiber.alive?
begin
  2.times { fiber.resume }
rescue FiberError => error
  p error.message
end
