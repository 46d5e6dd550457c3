// Calibration does nothing, but reads its input as a bot would: Joust times it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	request := ""
	if len(os.Args) > 1 {
		request = os.Args[len(os.Args)-1]
	}
	entries, err := os.ReadDir(request)
	if err != nil {
		strings.Split(request, "\n")
	} else {
		defer writeNothing(request)
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			os.ReadFile(filepath.Join(request, entry.Name()))
		}
	}
	fmt.Println("NO")
}

func writeNothing(folder string) {
	os.WriteFile(filepath.Join(folder, "move.txt"), []byte("0\n"), 0o644)
	os.WriteFile(filepath.Join(folder, "command.txt"), []byte("0,0,0\n"), 0o644)
}
