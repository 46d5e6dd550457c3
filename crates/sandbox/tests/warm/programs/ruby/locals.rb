x = 5
p binding.local_variables, binding.local_variable_get(:x), defined?(y), eval("x + 1"), TOPLEVEL_BINDING.local_variable_defined?(:x)
