class Late:
    def __del__(self):
        try:
            import colorsys
            print(colorsys.__name__)
        except BaseException as error:
            print(type(error).__name__)


late = Late()
