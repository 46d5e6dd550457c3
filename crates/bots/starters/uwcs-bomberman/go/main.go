// A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
//
// Joust starts this program once per bout. It connects to the game, registers when it
// reads INIT, learns the map, and sends one action after each TICK:
//
//	ACTION UP | DOWN | LEFT | RIGHT | BOMB
//
// `joust rules uwcs-bomberman` has every line that the game sends, and the whole story.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"os"
	"strconv"
	"strings"
)

type square struct{ row, column int }

var words = []string{"UP", "DOWN", "LEFT", "RIGHT"}
var steps = map[string]square{"UP": {-1, 0}, "DOWN": {1, 0}, "LEFT": {0, -1}, "RIGHT": {0, 1}}

type game struct {
	name    string
	luck    *rand.Rand
	grid    [][]string // grid[row][column] is "0" free, "1" rock, "2" pillar
	players map[string]square
}

// choose returns an action.
func (g *game) choose() string {
	// Your ideas go here. Where are bombs? Who is near? Is there a way out?
	var open []string
	for _, word := range words {
		if g.isFree(target(g.players[g.name], word)) {
			open = append(open, word)
		}
	}
	if len(open) == 0 {
		return "UP"
	}
	return open[g.luck.Intn(len(open))]
}

func target(from square, word string) square {
	return square{from.row + steps[word].row, from.column + steps[word].column}
}

func (g *game) isFree(at square) bool {
	inside := at.row >= 0 && at.row < len(g.grid) && at.column >= 0 && at.column < len(g.grid[at.row])
	return inside && g.grid[at.row][at.column] == "0"
}

// follow plays an action of the turn that is over.
func (g *game) follow(name, action string) {
	here, known := g.players[name]
	if _, step := steps[action]; known && step && g.isFree(target(here, action)) {
		g.players[name] = target(here, action)
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

func main() {
	seed, _ := strconv.ParseUint(setting("JOUST_SEED", "1"), 10, 64)
	address := net.JoinHostPort(setting("JOUST_HOST", "uwcs.co.uk"), setting("JOUST_PORT", "8037"))
	connection, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	g := &game{name: fmt.Sprintf("starter-%d", seed%100000), luck: rand.New(rand.NewSource(int64(seed)))}
	lines := bufio.NewScanner(connection)
	block := func(count int, each func(fields []string)) {
		for ; count > 0 && lines.Scan(); count-- {
			each(strings.Fields(lines.Text()))
		}
	}
	// A connection that is lost is a game that is over.
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		count := 0
		if len(fields) > 1 {
			count = number(fields[1])
		}
		switch fields[0] {
		case "INIT":
			fmt.Fprintf(connection, "REGISTER %s secret\n", g.name)
		case "MAP":
			g.grid = nil
			block(count, func(row []string) { g.grid = append(g.grid, row) })
		case "PLAYERS":
			g.players = map[string]square{}
			block(count, func(entry []string) {
				g.players[entry[0]] = square{number(entry[1]), number(entry[2])}
			})
		case "ACTIONS":
			block(count, func(entry []string) { g.follow(entry[0], entry[1]) })
		case "DEAD":
			block(count, func(entry []string) { delete(g.players, entry[0]) })
		case "TICK":
			if _, alive := g.players[g.name]; alive {
				fmt.Fprintf(connection, "ACTION %s\n", g.choose())
			}
		}
	}
}
