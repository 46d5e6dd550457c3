import locale
print(locale.setlocale(locale.LC_ALL), locale.getlocale())
