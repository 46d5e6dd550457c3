p :mine.to_proc.call([1].first) rescue p $!.message
p %i[a b].map(&:to_s), "never seen before".to_sym.inspect, :a.object_id == :a.object_id
