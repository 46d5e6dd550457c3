require "pp"
pp({ "long" => "x" * 60, "longer" => ["y" * 30, "z" * 30] })
