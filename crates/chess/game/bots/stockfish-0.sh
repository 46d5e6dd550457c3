#!/usr/bin/env bash
# Stockfish (apt install stockfish) at skill level 0 of 20.
(printf 'setoption name Skill Level value 0\n'; exec cat) | exec /usr/games/stockfish
