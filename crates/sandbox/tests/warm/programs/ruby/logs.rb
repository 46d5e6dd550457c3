require "logger"
log = Logger.new("out", progname: "bot")
log.formatter = proc { |severity, _, name, message| "#{severity} #{name} #{message}\n" }
log.warn("kept")
