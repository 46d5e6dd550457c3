// Chaser runs straight at its opponent and fires from two squares away,
// where a missile hurts the other bot and not its owner.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
)

const size = 10

type square struct{ x, y int }

var compass = map[square]string{
	{0, -1}: "N", {1, -1}: "NE", {1, 0}: "E", {1, 1}: "SE",
	{0, 1}: "S", {-1, 1}: "SW", {-1, 0}: "W", {-1, -1}: "NW",
}

func main() {
	if len(os.Args) < 2 {
		fmt.Println("NO")
		return
	}
	fmt.Println(choose(os.Args[len(os.Args)-1], os.Getenv("JOUST_SEED")))
}

// choose returns the action for one view; seed keeps two bouts apart.
func choose(view, seed string) string {
	me, foundMe := find(view, 'Y')
	foe, foundFoe := find(view, 'X')
	if !foundMe || !foundFoe {
		return "NO"
	}
	dx, dy := foe.x-me.x, foe.y-me.y
	gap := max(abs(dx), abs(dy))
	towards := square{sign(dx), sign(dy)}
	if aligned(dx, dy) {
		if gap <= 2 {
			return "M " + compass[towards]
		}
		if gap == 3 && roll(view, seed, "shoot", 2) == 0 {
			return "B " + compass[towards]
		}
	}
	return approach(view, seed, me, towards)
}

// approach steps towards the opponent, or past a mine or the opponent's own
// square by the nearest direction to either side.
func approach(view, seed string, me, towards square) string {
	order := []square{
		{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1},
	}
	start := 0
	for i, d := range order {
		if d == towards {
			start = i
		}
	}
	turn := 1
	if roll(view, seed, "side", 2) == 0 {
		turn = -1
	}
	for _, offset := range []int{0, turn, -turn, 2 * turn, -2 * turn} {
		d := order[(start+offset+8)%8]
		if at(view, square{me.x + d.x, me.y + d.y}) == '.' {
			return compass[d]
		}
	}
	return "NO"
}

// find looks for a symbol in the ten lines of the arena only.
func find(view string, symbol byte) (square, bool) {
	for y := 0; y < size; y++ {
		for x := 0; x < size; x++ {
			if at(view, square{x, y}) == symbol {
				return square{x, y}, true
			}
		}
	}
	return square{}, false
}

// at returns the symbol of a square, or '#' outside the arena.
func at(view string, s square) byte {
	if s.x < 0 || s.y < 0 || s.x >= size || s.y >= size || 11*s.y+s.x >= len(view) {
		return '#'
	}
	return view[11*s.y+s.x]
}

func aligned(dx, dy int) bool { return dx == 0 || dy == 0 || abs(dx) == abs(dy) }

// roll draws 0..n-1, always the same for the same seed, view and purpose.
func roll(view, seed, purpose string, n uint32) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.Join([]string{seed, purpose, view}, "\n")))
	sum := h.Sum32()
	return (sum ^ sum>>16) % n
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	if n > 0 {
		return 1
	}
	return 0
}
