require "set"
require "json"
p Set[1, 2], JSON.generate({ "a" => [1, nil, 2.5] }), JSON.parse('{"b": [true]}'), (JSON.parse("{") rescue $!.class)
