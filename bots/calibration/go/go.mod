module calibration

go 1.18
