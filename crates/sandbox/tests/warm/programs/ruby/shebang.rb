#!/usr/bin/env ruby
p __LINE__, $0
raise "line 3"
