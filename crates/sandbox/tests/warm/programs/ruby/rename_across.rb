require "tmpdir"
Dir.mktmpdir do |folder|
  Dir.mkdir("#{folder}/a")
  Dir.mkdir("#{folder}/b")
  File.write("#{folder}/a/file", "text")
  File.link("#{folder}/a/file", "#{folder}/b/linked")
  File.rename("#{folder}/a/file", "#{folder}/b/moved")
  puts Dir.children("#{folder}/b").sort.inspect
end
