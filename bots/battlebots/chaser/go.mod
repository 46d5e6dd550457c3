module chaser

go 1.18
