// A starter bot for Battleships (Entelect Challenge 2017): it hunts on every second square.
//
// Joust starts this program once per round with two arguments: your key (A or B) and a
// folder with state.json and map.txt. Leave your answer in that folder: in phase 1
// place.txt, five lines such as "Carrier 0 0 East"; in phase 2 command.txt, one line
// "code,x,y" (code 1 is a single shot). (0, 0) is the lower left corner, y grows to the north.
// `joust rules battleships-2017` has the other weapons and the shield.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

type point struct{ X, Y int }

type state struct {
	Phase, Round int
	OpponentMap  struct {
		Cells []struct {
			point
			Damaged, Missed bool
		}
	}
}

var fleet = []string{"Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"}

func place() string {
	// Your ideas go here: any five lines that do not cross and stay on the map.
	lines := ""
	for y, ship := range fleet {
		lines += fmt.Sprintf("%s 0 %d East\n", ship, y)
	}
	return lines
}

func command(now state, luck int) string {
	hit := map[point]bool{}
	for _, cell := range now.OpponentMap.Cells {
		hit[cell.point] = cell.Damaged
	}
	var near, second, all []point
	for _, cell := range now.OpponentMap.Cells {
		x, y := cell.X, cell.Y
		if cell.Damaged || cell.Missed {
			continue
		}
		all = append(all, cell.point)
		if hit[point{x - 1, y}] || hit[point{x + 1, y}] || hit[point{x, y - 1}] || hit[point{x, y + 1}] {
			near = append(near, cell.point)
		}
		if (x+y)%2 == 0 {
			second = append(second, cell.point)
		}
	}
	// Your ideas go here: seeker missiles, shields, what must be sunk already ...
	for _, targets := range [][]point{near, second, all} {
		if len(targets) > 0 {
			shot := targets[(luck+31*now.Round)%len(targets)]
			return fmt.Sprintf("1,%d,%d\n", shot.X, shot.Y)
		}
	}
	return "0,0,0\n"
}

func main() {
	folder := os.Args[2]
	bytes, err := os.ReadFile(filepath.Join(folder, "state.json"))
	if err != nil {
		panic(err)
	}
	var now state
	if err := json.Unmarshal(bytes, &now); err != nil {
		panic(err)
	}
	seed, _ := strconv.ParseUint(os.Getenv("JOUST_SEED"), 10, 64)
	name, answer := "place.txt", place()
	if now.Phase != 1 {
		name, answer = "command.txt", command(now, int(seed%1000))
	}
	os.WriteFile(filepath.Join(folder, name), []byte(answer), 0o644)
}
