def here; end
p method(:here).source_location, proc {}.source_location, Object.instance_method(:here).owner, RubyVM::InstructionSequence.of(method(:here)).path
p Object.const_source_location("String"), RubyVM::InstructionSequence.of(method(:here)).absolute_path
