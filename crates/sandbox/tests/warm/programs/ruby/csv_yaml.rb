require "csv"
require "yaml"
p CSV.parse("a,b\n1,\"x y\"\n"), YAML.load("- 1\n- a: b\n"), { "k" => [1] }.to_yaml
