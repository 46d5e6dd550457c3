queue = Queue.new
workers = 4.times.map { |n| Thread.new { queue << n * n; Thread.pass; n } }
p workers.map(&:value).sort, 4.times.map { queue.pop }.sort
