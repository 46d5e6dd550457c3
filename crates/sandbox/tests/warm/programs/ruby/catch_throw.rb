p catch(:done) { 10.times { |n| throw :done, n if n == 3 } }
throw :nobody
