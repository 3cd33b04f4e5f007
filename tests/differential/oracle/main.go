// Oracle answers questions about quantities, pods and patches with Kubernetes' own code: one JSON object a line in, one out.
//
//	{"op":"quantity","text":"1.5Gi","other":"2"}  ->  canonical text, numbers, comparison and sums
//	{"op":"quantity","json":"1e3"}                ->  the same for a raw JSON value
//	{"op":"quantity","float":1e3}                 ->  the same for a float, written to JSON by Go first
//	{"op":"pod","pod":{...}}                      ->  the pod as stored, its QoS class, requests, validation errors
//	{"op":"patch","document":{...},"patch":[...]} ->  the document with the JSON patch applied, and the pod in it
//
// It ends at the end of its input. Some exponents keep Go's parser busy for hours: such a line is answered with
// {"timeout":true}, and since a goroutine cannot be ended, the program then ends itself with exit code 3.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const (
	timeLimit   = 2 * time.Second
	exitTimeout = 3
	maxLine     = 64 << 20
)

// question is one line of input.
type question struct {
	Op       string          `json:"op"`
	Text     *string         `json:"text"`
	JSON     *string         `json:"json"`
	Float    *float64        `json:"float"`
	Other    *string         `json:"other"`
	Pod      json.RawMessage `json:"pod"`
	Document json.RawMessage `json:"document"`
	Patch    json.RawMessage `json:"patch"`
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), maxLine)
	for in.Scan() {
		answer, late := answerInTime(in.Bytes())
		line, err := json.Marshal(answer)
		if err != nil {
			line, _ = json.Marshal(map[string]any{"ok": false, "error": err.Error()})
		}
		out.Write(append(line, '\n'))
		// The reader may wait for this answer before it asks again.
		if err := out.Flush(); err != nil {
			os.Exit(1)
		}
		if late {
			os.Exit(exitTimeout)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answerInTime answers one line, or tells that it took too long.
func answerInTime(line []byte) (answer any, late bool) {
	done := make(chan any, 1)
	go func() {
		defer func() {
			if failure := recover(); failure != nil {
				done <- map[string]any{"ok": false, "panic": fmt.Sprint(failure)}
			}
		}()
		done <- answerLine(line)
	}()
	timer := time.NewTimer(timeLimit)
	defer timer.Stop()
	select {
	case answer := <-done:
		return answer, false
	case <-timer.C:
		return map[string]any{"timeout": true}, true
	}
}

func answerLine(line []byte) any {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return map[string]any{"ok": false, "error": "unreadable question: " + err.Error()}
	}
	switch asked.Op {
	case "quantity":
		return answerQuantity(asked)
	case "pod":
		return answerPod(asked.Pod)
	case "patch":
		return answerPatch(asked)
	}
	return map[string]any{"ok": false, "error": "unknown op " + asked.Op}
}
