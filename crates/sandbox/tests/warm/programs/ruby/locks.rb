File.open("out", "w") { |file| p file.flock(File::LOCK_EX), file.flock(File::LOCK_UN) }
