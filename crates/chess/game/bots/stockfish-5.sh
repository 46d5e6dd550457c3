#!/usr/bin/env bash
# Stockfish (apt install stockfish) at skill level 5 of 20.
(printf 'setoption name Skill Level value 5\n'; exec cat) | exec /usr/games/stockfish
