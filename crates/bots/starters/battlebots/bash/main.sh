#!/usr/bin/env bash
# A starter bot for BattleBots: it walks up to the other bot and fires
# missiles, bullets when it is beside it.
#
# Joust starts this program once per turn. The last argument is the view:
#
#     ten lines of ten characters: . empty, Y you, X the other bot,
#         B bullet, M missile, L land mine
#     Y hp=10             your hit points
#     X hp=10             the other bot's
#     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
#     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
#     L x=6 y=0           ... per land mine (costs 2, splash 1)
#
# x grows to the east, y to the south, (0, 0) is the upper left corner.
#
# Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
# missile or mine, any direction); P (nobody moves for two turns, costs you 1).
# Anything else does nothing. `joust rules battlebots` has the whole story.

view=${*: -1}
mapfile -t lines <<<"$view"

# Sets found_x and found_y; fails when the symbol is not in the arena.
find_symbol() {
    local y before
    for y in 0 1 2 3 4 5 6 7 8 9; do
        before=${lines[y]-}
        if [[ $before == *"$1"* ]]; then
            before=${before%%"$1"*}
            found_x=${#before} found_y=$y
            return 0
        fi
    done
    return 1
}

find_symbol Y || { echo NO; exit; }
x=$found_x y=$found_y
find_symbol X || { echo NO; exit; }
dx=$((found_x - x)) dy=$((found_y - y))

towards=
if ((dy < 0)); then towards=N; elif ((dy > 0)); then towards=S; fi
if ((dx < 0)); then towards+=W; elif ((dx > 0)); then towards+=E; fi

# Your ideas go here. Is a bullet coming (lines 12 and later)? Is a mine in the way?
# Starting other programs costs time: bash itself can do most of it.
if ((dx == 0 || dy == 0 || dx == dy || dx == -dy)); then
    if ((dx * dx > 1 || dy * dy > 1)); then echo "M $towards"; else echo "B $towards"; fi
else
    echo "$towards"
fi
