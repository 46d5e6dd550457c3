undefined_name + 1
