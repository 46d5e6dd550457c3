print "no line end"
$stderr.print "nor here"
