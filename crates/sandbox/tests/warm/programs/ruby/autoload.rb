autoload :Helper, File.join(__dir__, "beside/helper.rb")
p autoload?(:Helper), Object.const_defined?(:Helper), Helper, autoload?(:Helper)
