// Kubelet oracle answers which pods a node takes, and where, with the kubelet's own managers: one scenario a line in,
// one answer a line out (types.go has the fields). An admitted pod stays on its node, a rejected one is gone.
//
// The device manager keeps its checkpoint in a fixed folder, so the program wants /var/lib/kubelet for itself:
//
//	unshare --mount sh -c 'mount -t tmpfs none /var/lib && exec ./kubelet_oracle'
//
// It ends at the end of its input. Many NUMA nodes give hints without number, over which the topology manager sits for
// hours: such a scenario is answered with {"timeout":true}, and since a goroutine cannot be ended, the program then ends
// itself with exit code 3.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/klog/v2"
)

const (
	folder      = "/var/lib/kubelet"
	maxLine     = 64 << 20
	timeLimit   = 3 * time.Second
	exitTimeout = 3
)

func main() {
	if err := claimFolder(); err != nil {
		fail(err)
	}
	silenceLog()
	out := bufio.NewWriter(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), maxLine)
	for in.Scan() {
		answer, late := answerInTime(in.Bytes())
		line, err := json.Marshal(answer)
		if err != nil {
			fail(err)
		}
		out.Write(append(line, '\n'))
		if err := out.Flush(); err != nil {
			fail(err)
		}
		if late {
			os.Exit(exitTimeout)
		}
	}
	if err := in.Err(); err != nil {
		fail(err)
	}
}

// claimFolder makes the kubelet's folder; one that holds something may belong to a real kubelet, and is left alone.
func claimFolder() error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty: run this in a mount namespace of its own", folder)
	}
	return err
}

// silenceLog drops what the managers log: several lines for each pod.
func silenceLog() {
	klog.InitFlags(nil)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flag.Set(name, value); err != nil {
			fail(err)
		}
	}
	klog.SetOutput(io.Discard)
}

// answerInTime answers one line, or tells that it took too long.
func answerInTime(line []byte) (answer any, late bool) {
	done := make(chan any, 1)
	go func() { done <- answerLine(line) }()
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
	asked := &scenario{}
	if err := json.Unmarshal(line, asked); err != nil {
		return result{Error: "unreadable scenario: " + err.Error()}
	}
	if asked.Facts {
		return knownFacts()
	}
	answer := result{Name: asked.Name, Pods: []answer{}}
	if asked.Was != "" {
		if err := leaveStates(asked); err != nil {
			return result{Error: "the earlier configuration does not start: " + err.Error()}
		}
	}
	prepare := setFeatureGates
	if asked.Configuration != "" {
		prepare = configure
	}
	restore, err := prepare(asked)
	defer restore()
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	node, err := startNode(asked)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	answer.Room = &room{Node: node.object.Status.Allocatable, CPUs: node.cpus.GetAllocatableCPUs().String()}
	answer.Pods, err = node.admitAll(asked.Pods, asked.Start)
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
