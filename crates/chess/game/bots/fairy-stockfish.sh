#!/usr/bin/env bash
# The engine as its package brings it: apt install fairy-stockfish.
exec /usr/games/fairy-stockfish
