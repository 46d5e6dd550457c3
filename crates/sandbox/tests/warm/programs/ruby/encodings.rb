p __ENCODING__, Encoding.default_external, Encoding.default_internal, Encoding.find("locale"), Encoding.find("filesystem"), "é".encoding, Encoding.list.size, Encoding.name_list.size
p "é".encode("ISO-8859-1").bytes, "\u3042".encode("Shift_JIS").bytes, ("\xff".encode("UTF-16") rescue $!.message)
