raise "Grüße \xff"
