package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strings"
)

func main() {
	own, _ := os.Hostname()
	for _, name := range []string{"localhost", own, "uwcs.co.uk"} {
		found, err := net.ResolveIPAddr("ip4", name)
		fmt.Fprintln(os.Stderr, name, found, err)
	}
	net.Interfaces()
	stream, err := net.Dial("tcp", "localhost:"+os.Getenv("JOUST_PORT"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		if lines.Text() == "INIT" {
			fmt.Fprint(stream, "REGISTER go pw\n")
		} else if strings.HasPrefix(lines.Text(), "TICK") {
			fmt.Fprint(stream, "ACTION UP\n")
		}
	}
}
