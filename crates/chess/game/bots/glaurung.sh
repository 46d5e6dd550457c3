#!/usr/bin/env bash
# The engine as its package brings it: apt install glaurung.
exec /usr/games/glaurung
