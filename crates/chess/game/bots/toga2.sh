#!/usr/bin/env bash
# The engine as its package brings it: apt install toga2.
exec /usr/games/toga2
