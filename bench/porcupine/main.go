// Checks calls on compare-and-set registers, written by heddle in its own format, with porcupine:
//
//	porcupine-peer FILE SECONDS
//
// prints satisfied, violated or unknown, then the seconds of checking.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

type call struct {
	function, argument, second, outcome string
}

// What a read returned; seen is false where nobody was told.
type answer struct {
	value   string
	seen    bool
	outcome string
}

func step(state, input, output any) (bool, any) {
	in, out := input.(call), output.(answer)
	value := state.(string)
	switch in.function {
	case "read":
		return !out.seen || out.value == value, state
	case "write":
		return true, in.argument
	default:
		if out.outcome == "failed" {
			return value != in.argument, state
		}
		if value == in.argument {
			return true, in.second
		}
		return out.outcome == "unknown", state
	}
}

func number(fields map[string]json.RawMessage, name string, missing int64) int64 {
	value, err := strconv.ParseInt(string(fields[name]), 10, 64)
	if err != nil {
		return missing
	}
	return value
}

func text(fields map[string]json.RawMessage, name, missing string) string {
	var value string
	if json.Unmarshal(fields[name], &value) != nil {
		return missing
	}
	return value
}

func read(path string) ([]porcupine.Operation, string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	var operations []porcupine.Operation
	initial := "null"
	for first := true; lines.Scan(); first = false {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &fields); err != nil {
			return nil, "", err
		}
		if first {
			initial = string(fields["initial"])
			continue
		}
		result, seen := fields["result"]
		outcome := text(fields, "outcome", "ok")
		operations = append(operations, porcupine.Operation{
			ClientId: int(number(fields, "process", 0)),
			Input: call{text(fields, "function", ""), string(fields["argument"]),
				string(fields["second"]), outcome},
			Output: answer{string(result), seen, outcome},
			Call:   number(fields, "called", 0),
			Return: number(fields, "returned", math.MaxInt64),
		})
	}
	return operations, initial, lines.Err()
}

func main() {
	seconds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	operations, initial, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	model := porcupine.Model{Init: func() any { return initial }, Step: step}
	begun := time.Now()
	result := porcupine.CheckOperationsTimeout(model, operations, time.Duration(seconds)*time.Second)
	verdicts := map[porcupine.CheckResult]string{
		porcupine.Ok: "satisfied", porcupine.Illegal: "violated", porcupine.Unknown: "unknown"}
	fmt.Printf("%s %.4f\n", verdicts[result], time.Since(begun).Seconds())
}
