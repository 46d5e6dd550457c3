p ENV.to_h, ENV["RUBYOPT"], ENV.key?("RUBYLIB")
