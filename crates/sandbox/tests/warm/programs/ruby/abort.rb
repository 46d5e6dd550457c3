abort "my last words"
