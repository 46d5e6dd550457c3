require "bigdecimal"
p BigDecimal("0.1") + BigDecimal("0.2"), 2**100, 10.0 / 3, Rational(1, 3), Complex(1, 2), 7.fdiv(3), 1e300 * 1e300, Float::NAN.to_s
