$times = ($times || 0) + 1
p $times, __FILE__ == $0
