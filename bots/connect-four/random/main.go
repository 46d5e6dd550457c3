// Random drops its disc anywhere. The draw is from JOUST_SEED and the view alone, so
// a bout can be played again.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
)

func main() {
	fmt.Println(choose(os.Args[len(os.Args)-1], os.Getenv("JOUST_SEED")))
}

func choose(view, seed string) int {
	lines := strings.Split(view, "\n")
	if len(lines) < 3 {
		return 0
	}
	var free []int
	for x, square := range lines[2] {
		if square == '.' {
			free = append(free, x)
		}
	}
	if len(free) == 0 {
		return 0
	}
	luck := fnv.New64a()
	fmt.Fprintf(luck, "%s\n%s", seed, view)
	return free[luck.Sum64()>>8%uint64(len(free))]
}
