p DATA.fileno, DATA.lineno, DATA.pos, DATA.path, DATA.singleton_methods, DATA.class, DATA.external_encoding
puts DATA.read
DATA.rewind
p DATA.gets
__END__
one
two
