import code
code.InteractiveInterpreter().runsource("1 + 1")
