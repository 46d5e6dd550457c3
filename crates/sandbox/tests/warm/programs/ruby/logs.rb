require "logger"
# A file that the logger makes itself begins with the time of day.
log = Logger.new(File.open("out", "w"), progname: "bot")
log.formatter = proc { |severity, _, name, message| "#{severity} #{name} #{message}\n" }
log.warn("kept")
