class Object
  def self.inherited(it) = (print "inherited #{it.inspect}\n"; super)
  def self.method_added(name) = (print "added #{name}\n"; super)
end
class A; def x; end; end
def top; end
