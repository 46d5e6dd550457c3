// A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.
//
// Joust starts this program once per round with two arguments: your key and a folder.
// The folder holds state.json and map.txt; leave your move there in move.txt:
// 1 up, 2 left, 3 right, 4 down, 5 plant a bomb, 6 set your oldest bomb off, 0 nothing.
// `joust rules bomberman-2016` has the whole story.
package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

type bomb struct{ x, y, radius int }

var steps = [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}}

type field struct {
	grid  []string
	bombs []bomb
}

func (f field) symbol(x, y int) byte { return f.grid[y-1][x-1] }

func (f field) isFree(x, y int) bool { return strings.IndexByte(" &!$", f.symbol(x, y)) >= 0 }

func (f field) isSafe(x, y int) bool {
	for _, b := range f.bombs {
		if x == b.x && abs(y-b.y) <= b.radius || y == b.y && abs(x-b.x) <= b.radius {
			return false
		}
	}
	return true
}

func (f field) rate(x, y int) int {
	rating := 0
	if f.isSafe(x, y) {
		rating = 4
	}
	for _, step := range steps {
		if f.isFree(x+step[0], y+step[1]) && f.isSafe(x+step[0], y+step[1]) {
			rating++
		}
	}
	return rating
}

func (f field) choose(x, y, luck int, mayPlant bool) int {
	// Your ideas go here. What is worth walking to? Can you shut somebody in?
	walls := false
	for _, step := range steps {
		walls = walls || f.symbol(x+step[0], y+step[1]) == '+'
	}
	if f.isSafe(x, y) && walls && mayPlant && luck%3 == 0 {
		return 5
	}
	best, move := f.rate(x, y), 0
	for turn := 0; turn < 4; turn++ {
		number := (turn + luck) % 4
		toX, toY := x+steps[number][0], y+steps[number][1]
		if f.isFree(toX, toY) && f.rate(toX, toY) >= best {
			best, move = f.rate(toX, toY), number+1
		}
	}
	return move
}

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

func main() {
	key, folder := os.Args[1], os.Args[2]
	bytes, err := os.ReadFile(filepath.Join(folder, "map.txt"))
	if err != nil {
		panic(err)
	}
	text := strings.ReplaceAll(string(bytes), "\r", "")
	var f field
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			f.grid = append(f.grid, line)
		}
	}
	found := regexp.MustCompile(`\{x:(\d+),y:(\d+),fuse:\d+,radius:(\d+)\}`).FindAllStringSubmatch(text, -1)
	for _, one := range found {
		f.bombs = append(f.bombs, bomb{number(one[1]), number(one[2]), number(one[3])})
	}
	round := number(regexp.MustCompile(`Current Round: (\d+)`).FindStringSubmatch(text)[1])
	seed, _ := strconv.ParseUint(os.Getenv("JOUST_SEED"), 10, 64)
	luck := int(seed%1000) + 7*round
	own := regexp.MustCompile(`(?s)Key: ` + key + `\n.*?Bombs:([^\n]*)`).FindStringSubmatch(text)
	mayPlant := own != nil && !strings.Contains(own[1], "{")
	move := 0
	for y, row := range f.grid {
		if x := strings.Index(strings.ToUpper(row), key); x >= 0 {
			move = f.choose(x+1, y+1, luck, mayPlant)
		}
	}
	os.WriteFile(filepath.Join(folder, "move.txt"), []byte(strconv.Itoa(move)), 0o644)
}
