// A starter bot for connect four: it wins where it can, blocks where it must, and else
// drops its disc as near to the left third as it can.
//
// Joust starts this program once for every disc of yours. The last argument is the
// view:
//
//	you 1               your seat, and the digit of your discs
//	connect 4           how many in a row win
//	.......             the board, one line for each row, the top one first:
//	...1...             . is free, 0 and 1 are discs of that seat
//	..010..
//
// Print the number of a column, counted from 0 at the left. Anything else, and a full
// column, drops your disc into the leftmost column with room.
// `joust rules connect-four` has the whole story.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

func main() {
	fmt.Println(choose(os.Args[len(os.Args)-1]))
}

func choose(view string) int {
	var me, connect int
	fmt.Sscanf(view, "you %d\nconnect %d\n", &me, &connect)
	board := strings.Split(strings.TrimSpace(view), "\n")[2:]
	var free []int
	for x := range board[0] {
		if board[0][x] == '.' {
			free = append(free, x)
		}
	}
	third := len(board[0]) / 3
	distance := func(x int) int { return (x - third) * (x - third) }
	sort.SliceStable(free, func(a, b int) bool { return distance(free[a]) < distance(free[b]) })
	// Your ideas go here. What can the other do after your disc?
	for _, seat := range []int{me, 1 - me} {
		for _, x := range free {
			if completes(board, x, byte('0'+seat), connect) {
				return x
			}
		}
	}
	return free[0]
}

// completes says whether a disc dropped into column x has enough in a row.
func completes(board []string, x int, disc byte, connect int) bool {
	y := 0
	for y+1 < len(board) && board[y+1][x] == '.' {
		y++
	}
	for _, line := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		dx, dy := line[0], line[1]
		if 1+run(board, x, y, dx, dy, disc)+run(board, x, y, -dx, -dy, disc) >= connect {
			return true
		}
	}
	return false
}

// run counts the discs beside (x, y) in one direction.
func run(board []string, x, y, dx, dy int, disc byte) int {
	count := 0
	for {
		x, y = x+dx, y+dy
		if y < 0 || y >= len(board) || x < 0 || x >= len(board[0]) || board[y][x] != disc {
			return count
		}
		count++
	}
}
