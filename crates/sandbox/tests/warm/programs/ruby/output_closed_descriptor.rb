print "buffered"
IO.for_fd(1, autoclose: false).close
IO.for_fd(1, autoclose: false).close rescue p $!.class
