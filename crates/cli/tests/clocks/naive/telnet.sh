#!/bin/bash
exec 3<>/dev/tcp/uwcs.co.uk/8037
while read -r word rest <&3; do
  case $word in
    INIT) echo "REGISTER telnet telnet" >&3 ;;
    TICK) echo "ACTION DOWN" >&3 ;;
  esac
done
