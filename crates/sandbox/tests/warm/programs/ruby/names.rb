p __FILE__ == $0, __FILE__, $0, $PROGRAM_NAME, __dir__, __method__, Dir.pwd, File.expand_path(__FILE__)
