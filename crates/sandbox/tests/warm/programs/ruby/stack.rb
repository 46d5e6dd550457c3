p caller, caller_locations(0).map(&:to_s), binding.source_location
def deeper = caller(0)
puts deeper
