exec(compile("raise ValueError('in exec')", "<made>", "exec"))
