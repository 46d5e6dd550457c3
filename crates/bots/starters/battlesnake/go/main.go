// A starter snake for Battlesnake: it stays alive and eats what is near.
//
// A snake is a web server. Joust starts it once for every game, with the port in `PORT`,
// and sends requests:
//
//	GET /           answer who you are: {"apiversion": "1", "color": "#0277bd"}
//	POST /start     the game begins
//	POST /move      answer {"move": "up"}; `down`, `left` and `right` are the others
//	POST /end       the game is over
//
// The body of a POST is the position in JSON: `turn`, `board` (`width`, `height`, `food`,
// `hazards`, `snakes`) and `you`. A snake's `body` is a list of squares, its head first;
// (0, 0) is the lower left corner, and up is y + 1. A late or wrong answer repeats your
// last move. `joust rules battlesnake` has the whole story.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
)

type point struct{ X, Y int }

type snake struct {
	Health int
	Head   point
	Body   []point
}

type state struct {
	Turn  int
	Board struct {
		Width, Height int
		Food          []point
		Snakes        []snake
	}
	You snake
}

var moves = []struct {
	name string
	step point
}{{"up", point{0, 1}}, {"right", point{1, 0}}, {"down", point{0, -1}}, {"left", point{-1, 0}}}

func choose(now state) string {
	board := now.Board
	taken := map[point]bool{}
	for _, snake := range board.Snakes {
		// A tail moves away, unless its snake has just eaten.
		for _, part := range snake.Body[:len(snake.Body)-1] {
			taken[part] = true
		}
	}
	isFree := func(at point) bool {
		return at.X >= 0 && at.X < board.Width && at.Y >= 0 && at.Y < board.Height && !taken[at]
	}
	// Your ideas go here. Where can longer snakes go? How much room is there?
	best, least := "up", 1<<30
	for _, move := range moves {
		at := plus(now.You.Head, move.step)
		if !isFree(at) {
			continue
		}
		cost := 1000
		for _, food := range board.Food {
			if away := abs(at.X-food.X) + abs(at.Y-food.Y); away < cost {
				cost = away
			}
		}
		exits := 0
		for _, next := range moves {
			if isFree(plus(at, next.step)) {
				exits++
			}
		}
		if exits == 0 {
			cost += 10000
		}
		if cost < least {
			best, least = move.name, cost
		}
	}
	return best
}

func plus(one, other point) point { return point{one.X + other.X, one.Y + other.Y} }

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

func answer(writer http.ResponseWriter, request *http.Request) {
	var value any = struct{}{}
	if request.Method == http.MethodGet {
		value = map[string]string{"apiversion": "1", "color": "#0277bd", "head": "default", "tail": "default"}
	} else if strings.HasSuffix(request.URL.Path, "/move") {
		var now state
		if err := json.NewDecoder(request.Body).Decode(&now); err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		value = map[string]string{"move": choose(now)}
	}
	writer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(writer).Encode(value)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	log.Fatal(http.ListenAndServe(":"+port, http.HandlerFunc(answer)))
}
