require_relative "beside/helper"
p Helper.name, Helper.place, $LOADED_FEATURES.last, require_relative("beside/helper")
load File.join(__dir__, "beside/again.rb")
load File.join(__dir__, "beside/again.rb")
