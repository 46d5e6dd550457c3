#!/usr/bin/env bash
# The engine as its package brings it: apt install gnuchess.
exec /usr/games/gnuchess --uci
