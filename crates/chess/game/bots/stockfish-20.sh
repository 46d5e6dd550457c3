#!/usr/bin/env bash
# Stockfish (apt install stockfish) at skill level 20 of 20.
(printf 'setoption name Skill Level value 20\n'; exec cat) | exec /usr/games/stockfish
