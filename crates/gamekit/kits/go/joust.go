// Kit for a referee of Joust in Go: copy this file beside your program.
//
// A game is a value with a method Next. It is called once without answers, and then with the
// answers to each ask, and calls bout.Ask or bout.End before it returns. All chance comes from
// bout.Seed. What is printed to os.Stdout goes to standard error.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
)

// Answer is what a bot said; Verdict is "ok" if it came in time.
type Answer struct {
	Seat    int               `json:"seat"`
	Verdict string            `json:"verdict"`
	Text    string            `json:"text"`
	Us      uint64            `json:"us"`
	Files   map[string]string `json:"files"`
}

// Game is one bout of a game.
type Game interface {
	Next(bout *Bout, answers map[int]Answer)
}

// More is what else an ask or an end says; State is the position.
type More struct {
	State   string
	Ranks   []int
	Scene   interface{}
	Numbers map[string][]*float64
}

// Bout is one bout, and what a referee can say about it.
type Bout struct {
	Number  uint32
	Seed    uint64
	Seats   int
	Options map[string]json.RawMessage
	asks    int
	answers map[int]Answer
	game    Game
}

var out = bufio.NewWriter(os.Stdout)

type message map[string]interface{}

func say(said message) {
	line, err := json.Marshal(said)
	if err != nil {
		line, _ = json.Marshal(message{"t": "error", "text": err.Error()})
	}
	out.Write(line)
	out.WriteByte('\n')
}

func (bout *Bout) say(t string, said message) {
	said["t"], said["b"] = t, bout.Number
	say(said)
}

func (bout *Bout) shown(t string, said message, more More) {
	said["state"] = more.State
	if more.Scene != nil {
		said["scene"] = more.Scene
	}
	if more.Numbers != nil {
		said["numbers"] = more.Numbers
	}
	if more.Ranks != nil {
		said["ranks"] = more.Ranks
	}
	bout.say(t, said)
}

// Ask asks the seats of views, seat to text. With `channel: http` a text is a request, such as
// "POST /move application/json\n{}", and the text of an answer begins with a line such as
// "200 application/json".
func (bout *Bout) Ask(views map[int]string, more More) {
	seats := []int{}
	for seat := range views {
		seats = append(seats, seat)
	}
	sort.Ints(seats)
	to := []message{}
	for _, seat := range seats {
		to = append(to, message{"seat": seat, "text": views[seat]})
	}
	bout.asks++
	bout.shown("ask", message{"n": bout.asks, "to": to}, more)
}

// End ends the bout; a score for each seat, more is better. Ranks follow from scores.
func (bout *Bout) End(scores []float64, reason string, more More) {
	bout.game = nil
	bout.shown("end", message{"scores": scores, "reason": reason}, more)
}

// Tell tells seats something, without an answer.
func (bout *Bout) Tell(seats []int, text string) {
	bout.say("tell", message{"to": seats, "text": text})
}

// Fault says that an answer was bad, and what happens now.
func (bout *Bout) Fault(seat int, text string) {
	kind := bout.answers[seat].Verdict
	if kind == "ok" {
		kind = "illegal"
	}
	bout.say("fault", message{"seat": seat, "kind": kind, "text": text})
}

// Out says that a seat plays no longer.
func (bout *Bout) Out(seat int, text string) { bout.say("out", message{"seat": seat, "text": text}) }

// Log writes a line for the author.
func (bout *Bout) Log(text string) { bout.say("log", message{"text": text}) }

// Int returns an option that is a whole number.
func (bout *Bout) Int(option string) int {
	number, err := strconv.Atoi(string(bout.Options[option]))
	if err != nil {
		panic(fmt.Sprintf("option %s is no whole number", option))
	}
	return number
}

// Serve speaks to Joust until standard input ends; start makes the game of a bout.
func Serve(id, version string, can []string, start func(*Bout) Game) {
	os.Stdout = os.Stderr
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	bouts := map[uint32]*Bout{}
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var heard struct {
			T, Seed string
			B       uint32
			Seats   int
			Options map[string]json.RawMessage
			Of      []Answer
		}
		if err == nil {
			err = json.Unmarshal(line, &heard)
		}
		if err != nil {
			panic(err)
		}
		switch heard.T {
		case "hello":
			say(message{"t": "game", "protocol": 1, "id": id, "version": version, "can": can})
		case "start":
			seed, _ := strconv.ParseUint(heard.Seed, 10, 64)
			bout := &Bout{Number: heard.B, Seed: seed, Seats: heard.Seats, Options: heard.Options}
			bout.game = start(bout)
			bouts[bout.Number] = bout
			bout.game.Next(bout, nil)
		case "answers":
			bout := bouts[heard.B]
			bout.answers = map[int]Answer{}
			for _, answer := range heard.Of {
				bout.answers[answer.Seat] = answer
			}
			bout.game.Next(bout, bout.answers)
		case "drop":
			delete(bouts, heard.B)
		}
		if bout := bouts[heard.B]; bout != nil && bout.game == nil {
			delete(bouts, heard.B)
		}
		out.Flush()
	}
}
