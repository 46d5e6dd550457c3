while read -r word stones; do echo 1; done
