require "no/such/library"
