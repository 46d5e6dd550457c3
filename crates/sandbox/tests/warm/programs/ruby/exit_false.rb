exit false
