p RubyVM::AbstractSyntaxTree.parse_file(__FILE__).type
