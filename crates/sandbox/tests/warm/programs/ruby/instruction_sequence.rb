p RubyVM::InstructionSequence.compile("1 + 1").eval, RubyVM::InstructionSequence.compile_option.keys.size, RubyVM.stat.keys
