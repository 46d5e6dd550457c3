#!/usr/bin/env bash
# Does nothing, but reads its input as a bot would: Joust times it.
request=
[ "$#" -eq 0 ] || request=${*: -1}
if [ -d "$request" ]; then
    for path in "$request"/*; do
        [ -f "$path" ] && IFS= read -r -d '' content <"$path"
    done
    echo 0 >"$request/move.txt"
    echo 0,0,0 >"$request/command.txt"
else
    mapfile -t lines <<<"$request"
fi
echo NO
