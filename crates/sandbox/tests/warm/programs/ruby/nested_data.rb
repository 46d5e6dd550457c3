require_relative "beside/with_data"
p DATA.read
__END__
of the main file
