module random

go 1.18
