import decimal, fractions
decimal.getcontext().prec = 5; print(decimal.Decimal(1) / 3, fractions.Fraction(1, 3) + 1)
