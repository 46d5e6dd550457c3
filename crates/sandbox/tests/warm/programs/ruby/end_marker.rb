puts "shown"
__END__
puts "not shown"
