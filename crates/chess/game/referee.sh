#!/usr/bin/env bash
# The program stands beside this file in a release; from the source: cargo build --release -p joust-chess, and copy it here.
exec ./joust-chess
