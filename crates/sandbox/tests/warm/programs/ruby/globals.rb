p $!, $@, $~, $_, $?, $;, $,, $/, $\, $., $:.size, $-0, $-a, $-d, $-i, $-l, $-p, $-v, $-w, $DEBUG, $VERBOSE, $FILENAME, $stdin, $stdout, $stderr
p global_variables.size, local_variables, TOPLEVEL_BINDING.local_variables, self, self.class, singleton_methods
