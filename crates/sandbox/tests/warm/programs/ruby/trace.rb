events = []
trace = TracePoint.new(:call, :return, :line) { |it| events << [it.event, it.lineno] }
def traced = 1 + 1
trace.enable { traced }
p events
set_trace_func(proc { |event, *| $seen = event })
x = 1
set_trace_func(nil)
p $seen
