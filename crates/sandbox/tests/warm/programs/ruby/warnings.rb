warn "mine"
warn "deeper", uplevel: 0
X = 1
X = 2
def twice; end
def twice; end
$VERBOSE = true
p @never, eval("1; 2")
