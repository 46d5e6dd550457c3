require_relative "nothing_here"
