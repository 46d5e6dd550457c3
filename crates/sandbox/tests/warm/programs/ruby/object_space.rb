class Counted; end
3.times { ($all ||= []) << Counted.new }
p ObjectSpace.each_object(Counted).count, ObjectSpace.each_object(File).map(&:path)
