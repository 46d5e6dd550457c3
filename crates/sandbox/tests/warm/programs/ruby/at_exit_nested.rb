at_exit { puts 1; at_exit { puts 2; at_exit { puts 3 } } }
