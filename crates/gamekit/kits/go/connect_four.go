// Connect four: two bots drop discs into columns; a row of four wins.
package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

type board struct {
	cells                         []byte // what bots see: one line for each row, the top one first
	columns, rows, connect, discs int
}

var number = regexp.MustCompile(`^[ \t-\r]*0*([0-9]{1,9})[ \t-\r]*$`)

func (b *board) Next(bout *Bout, answers map[int]Answer) {
	seat, column := b.discs%2, b.columns
	if answers == nil {
		bout.Tell([]int{0, 1}, fmt.Sprintf("board %d %d", b.columns, b.rows))
	} else {
		if found := number.FindStringSubmatch(answers[seat].Text); answers[seat].Verdict == "ok" && found != nil {
			column, _ = strconv.Atoi(found[1])
		}
		if column >= b.columns || b.cells[column] != '.' {
			column = bytes.IndexByte(b.cells, '.')
			bout.Fault(seat, fmt.Sprintf("the disc falls into column %d", column))
		}
		at := column + (b.rows-1)*(b.columns+1)
		for ; b.cells[at] != '.'; at -= b.columns + 1 {
		}
		b.cells[at], b.discs = byte('0'+seat), b.discs+1
		for _, step := range []int{1, b.columns, b.columns + 1, b.columns + 2} {
			if 1+b.run(at, step)+b.run(at, -step) >= b.connect {
				bout.End([]float64{float64(2 - 2*seat), float64(2 * seat)}, "connected", More{State: string(b.cells)})
				return
			}
		}
		if seat = 1 - seat; b.discs == b.columns*b.rows {
			bout.End([]float64{1, 1}, "board-full", More{State: string(b.cells)})
			return
		}
	}
	bout.Ask(map[int]string{seat: fmt.Sprintf("you %d\nconnect %d\n%s", seat, b.connect, b.cells)}, More{State: string(b.cells)})
}
func (b *board) run(at, step int) (count int) {
	for i := at + step; i >= 0 && i < len(b.cells) && b.cells[i] == b.cells[at]; i += step {
		count++
	}
	return
}
func main() {
	Serve("connect-four-kit", "1", []string{"bouts", "rejudge"}, func(bout *Bout) Game {
		columns, rows := bout.Int("columns"), bout.Int("rows")
		row := append(bytes.Repeat([]byte("."), columns), '\n')
		return &board{bytes.Repeat(row, rows), columns, rows, bout.Int("connect"), 0}
	})
}
