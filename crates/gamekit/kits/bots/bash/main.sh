# Drops discs anywhere. A bot reads lines and prints one line for each question.
RANDOM=$((JOUST_SEED % 32768))
read -r _ columns rows
while read -r _ seat; do
    read -r _ connect
    read -r top
    for ((row = 1; row < rows; row++)); do read -r _; done
    while column=$((RANDOM % columns)) && [[ ${top:column:1} != . ]]; do :; done
    echo "$column"
done
