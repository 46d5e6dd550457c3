#!/bin/sh
# Refuses to end when asked to.
trap '' HUP INT QUIT TERM
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 2; done
