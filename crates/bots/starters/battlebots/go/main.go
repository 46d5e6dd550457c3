// A starter bot for BattleBots: it walks up to the other bot and
// shoots from up to six squares.
//
// Joust starts this program once per turn. The last argument is the view:
//
//     ten lines of ten characters: . empty, Y you, X the other bot,
//         B bullet, M missile, L land mine
//     Y hp=10             your hit points
//     X hp=10             the other bot's
//     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
//     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
//     L x=6 y=0           ... per land mine (costs 2, splash 1)
//
// x grows to the east, y to the south, (0, 0) is the upper left corner.
//
// Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
// missile or mine, any direction); P (nobody moves for two turns, costs you 1).
// Anything else does nothing. `joust rules battlebots` has the whole story.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	fmt.Println(choose(os.Args[len(os.Args)-1]))
}

func choose(view string) string {
	lines := strings.Split(view, "\n")
	x, y, foundMe := find(lines, "Y")
	foeX, foeY, foundFoe := find(lines, "X")
	if !foundMe || !foundFoe {
		return "NO"
	}
	dx, dy := foeX-x, foeY-y
	towards := direction(dx, dy)
	// Your ideas go here. Is a bullet coming (lines 12 and later)? Is a mine in the way?
	aligned := dx == 0 || dy == 0 || dx == dy || dx == -dy
	if near := dx*dx <= 36 && dy*dy <= 36; aligned && near {
		return "B " + towards
	}
	return towards
}

// find looks for a symbol in the ten lines of the arena.
func find(lines []string, symbol string) (x, y int, found bool) {
	for y := 0; y < 10 && y < len(lines); y++ {
		if x := strings.Index(lines[y], symbol); x >= 0 {
			return x, y, true
		}
	}
	return 0, 0, false
}

func direction(dx, dy int) string {
	northSouth, eastWest := "", ""
	switch {
	case dy < 0:
		northSouth = "N"
	case dy > 0:
		northSouth = "S"
	}
	switch {
	case dx < 0:
		eastWest = "W"
	case dx > 0:
		eastWest = "E"
	}
	return northSouth + eastWest
}
