# encoding: ascii-8bit
p __ENCODING__, "\xff".encoding, "é".bytes
