import string
import textwrap

print(string.Template("$who: $what").safe_substitute(who="me"))
print(textwrap.fill("word " * 30, 40))
