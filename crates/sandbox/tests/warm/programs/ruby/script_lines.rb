SCRIPT_LINES__ = {}
require_relative "beside/helper"
p SCRIPT_LINES__.keys, SCRIPT_LINES__.values.map(&:size)
