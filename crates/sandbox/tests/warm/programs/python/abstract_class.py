import abc


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


try:
    Shape()
except TypeError as error:
    print(error)
print(Shape.__abstractmethods__, isinstance(3, Shape))
