#!/usr/bin/env bash
# Stockfish (apt install stockfish) at skill level 10 of 20.
(printf 'setoption name Skill Level value 10\n'; exec cat) | exec /usr/games/stockfish
