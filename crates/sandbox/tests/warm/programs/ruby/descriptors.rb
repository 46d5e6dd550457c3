p Dir.children("/proc/self/fd").map(&:to_i).sort[0..-2].map { |it| [it, (File.readlink("/proc/self/fd/#{it}") rescue nil)&.sub(/\d{3,}/, "N")] }
p File.open("/dev/null").fileno, IO.pipe.map(&:fileno), STDIN.fileno
