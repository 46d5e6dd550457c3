require "open3"
out, error, status = Open3.capture3("cat; echo wrong >&2; exit 2", stdin_data: "given")
p out, error, status.exitstatus
