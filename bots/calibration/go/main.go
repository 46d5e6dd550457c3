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
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			os.ReadFile(filepath.Join(request, entry.Name()))
		}
	}
	fmt.Println("NO")
}
