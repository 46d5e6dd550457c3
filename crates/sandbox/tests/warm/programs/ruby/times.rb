require "time"
require "date"
p Time.parse("2020-02-29T12:00:00Z"), Date.new(2020, 2, 29).next_year, Time.iso8601("2001-01-01T00:00:00+02:00").utc
