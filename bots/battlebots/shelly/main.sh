#!/usr/bin/env bash
# Shelly walks along rows and columns only, never diagonally, until the other
# bot stands on one of its eight lines, and then shoots. No external programs:
# starting one would cost more than the whole bot.

view=${*: -1}
[ "$#" -gt 0 ] || view=
mapfile -t lines <<<"$view"

find_symbol() {
    local y row before
    for y in 0 1 2 3 4 5 6 7 8 9; do
        row=${lines[y]-}
        if [[ $row == *"$1"* ]]; then
            before=${row%%"$1"*}
            found_x=${#before} found_y=$y
            return 0
        fi
    done
    return 1
}

find_symbol Y || { echo NO; exit 0; }
my_x=$found_x my_y=$found_y
find_symbol X || { echo NO; exit 0; }
dx=$((found_x - my_x)) dy=$((found_y - my_y))
width=${dx#-} height=${dy#-}

if ((dy > 0)); then vertical=S; elif ((dy < 0)); then vertical=N; else vertical=; fi
if ((dx > 0)); then horizontal=E; elif ((dx < 0)); then horizontal=W; else horizontal=; fi
gap=$((width > height ? width : height))

if ((width == 0 || height == 0 || width == height)); then
    # A missile next to the other bot would hurt both.
    if ((gap == 2 || gap == 4)); then weapon=M; else weapon=B; fi
    echo "$weapon $vertical$horizontal"
    exit 0
fi

# The view's length and our seed decide which axis to close first.
if (((${#view} + ${JOUST_SEED:-0} % 7 + my_x * 3 + my_y) % 2)); then
    step=$vertical next_x=$my_x next_y=$((my_y + (dy > 0 ? 1 : -1)))
else
    step=$horizontal next_x=$((my_x + (dx > 0 ? 1 : -1))) next_y=$my_y
fi
ahead=${lines[next_y]-}
case ${ahead:next_x:1} in
    L) echo "B $vertical$horizontal" ;;
    *) echo "$step" ;;
esac
