$other = 1
__END__
of another file
