// Tracker shoots at random until it hits something; then at what lies next to a
// hit, until nothing there is left.
//
// Arguments: the own key and the folder with state.json; the answer is place.txt
// in phase 1 and command.txt in phase 2, there.
package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
)

const singleShot = 1

var ships = []struct {
	name   string
	length int
}{{"Carrier", 5}, {"Battleship", 4}, {"Cruiser", 3}, {"Submarine", 3}, {"Destroyer", 2}}

type cell struct {
	X, Y                       int
	Damaged, Missed, ShieldHit bool
}

type state struct {
	Phase, Round, MapDimension int
	OpponentMap                struct{ Cells []cell }
}

type spot struct{ x, y int }

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(key, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "state.json"))
	if err != nil {
		return err
	}
	var view state
	if err := json.Unmarshal(text, &view); err != nil {
		return err
	}
	luck := dice(os.Getenv("JOUST_SEED"), key, view.Round)
	name, answer := "command.txt", ""
	if view.Phase == 1 {
		name, answer = "place.txt", place(view.MapDimension, luck)
	} else {
		answer = shoot(view.OpponentMap.Cells, luck)
	}
	return os.WriteFile(filepath.Join(folder, name), []byte(answer), 0o644)
}

// dice gives numbers that are the same for the same seed and round.
func dice(seed, key string, round int) *rand.Rand {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s %s %d", seed, key, round)
	return rand.New(rand.NewSource(int64(hash.Sum64())))
}

func place(side int, luck *rand.Rand) string {
	taken := map[spot]bool{}
	lines := make([]string, 0, len(ships))
	for _, ship := range ships {
		lines = append(lines, placeOne(ship.name, ship.length, side, taken, luck))
	}
	return strings.Join(lines, "\r\n")
}

func placeOne(name string, length, side int, taken map[spot]bool, luck *rand.Rand) string {
	for {
		step, way := spot{1, 0}, "East"
		if luck.Intn(2) == 0 {
			step, way = spot{0, 1}, "North"
		}
		start := spot{luck.Intn(side - step.x*(length-1)), luck.Intn(side - step.y*(length-1))}
		line := make([]spot, length)
		free := true
		for n := range line {
			line[n] = spot{start.x + n*step.x, start.y + n*step.y}
			free = free && !taken[line[n]]
		}
		if !free {
			continue
		}
		for _, at := range line {
			taken[at] = true
		}
		return fmt.Sprintf("%s %d %d %s", name, start.x, start.y, way)
	}
}

func shoot(cells []cell, luck *rand.Rand) string {
	var fresh, near []spot
	hit := map[spot]bool{}
	for _, cell := range cells {
		hit[spot{cell.X, cell.Y}] = cell.Damaged
	}
	for _, cell := range cells {
		if cell.Damaged || cell.Missed || cell.ShieldHit {
			continue
		}
		at := spot{cell.X, cell.Y}
		fresh = append(fresh, at)
		for _, next := range []spot{{at.x + 1, at.y}, {at.x - 1, at.y}, {at.x, at.y + 1}, {at.x, at.y - 1}} {
			if hit[next] {
				near = append(near, at)
				break
			}
		}
	}
	target := spot{0, 0}
	switch {
	case len(near) > 0:
		target = near[luck.Intn(len(near))]
	case len(fresh) > 0:
		target = fresh[luck.Intn(len(fresh))]
	}
	return fmt.Sprintf("%d,%d,%d", singleShot, target.x, target.y)
}
