#!/bin/sh
# Answers while a child keeps everything open.
sleep 20 &
echo N
