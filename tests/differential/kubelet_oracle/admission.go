package main

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	api "k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	v1qos "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

const (
	byTopology = "topology-manager"
	byFit      = "scheduler-fit"
	byStart    = "container-start"
	byPanic    = "panic"
)

// admitAll sends the pods to the node; after a panic it sends no more, for the managers are left half-way.
func (n *node) admitAll(pods []json.RawMessage, start bool) ([]answer, error) {
	answers := []answer{}
	for number, raw := range pods {
		pod, err := decode(raw, number)
		if err != nil {
			return answers, err
		}
		one := n.admit(pod, start)
		answers = append(answers, one)
		if one.Handler == byPanic {
			break
		}
	}
	return answers, nil
}

func (n *node) admit(pod *v1.Pod, start bool) answer {
	others := n.active()
	n.setActive(append(n.active(), pod))
	attributes := arrival(pod, others)
	said, handler := n.align(attributes)
	if said.Admit && n.fit != nil {
		said, handler = ask(n.ctx, n.fit, attributes), byFit
	}
	given := answer{Name: pod.Name, Admit: said.Admit, QOS: string(pod.Status.QOSClass)}
	if !said.Admit {
		n.setActive(others)
		given.Handler, given.Reason, given.Message = handler, said.Reason, said.Message
		return given
	}
	if start {
		if err := n.startContainers(pod); err != nil {
			given.Admit, given.Handler = false, byStart
			given.Reason, given.Message = "CreateContainerConfigError", err.Error()
			return given
		}
	}
	given.Containers, given.Pod = map[string]placement{}, n.heldBy(pod)
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, container := range containers {
			given.Containers[container.Name] = n.placementOf(pod, &container)
		}
	}
	return given
}

// startContainers starts the containers in their order, as far as devices go.
func (n *node) startContainers(pod *v1.Pod) error {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, container := range containers {
			if err := n.startContainer(pod, &container); err != nil {
				return err
			}
		}
	}
	return nil
}

// align asks the topology manager, which asks the other managers.
func (n *node) align(attributes *lifecycle.PodAdmitAttributes) (said lifecycle.PodAdmitResult, handler string) {
	defer func() {
		if failure := recover(); failure != nil {
			said = lifecycle.PodAdmitResult{Reason: "KubeletPanic", Message: fmt.Sprint(failure)}
			handler = byPanic
		}
	}()
	return ask(n.ctx, n.topology, attributes), byTopology
}

// decode reads a pod as the API server would store it and the kubelet would read it back.
func decode(raw json.RawMessage, number int) (*v1.Pod, error) {
	pod := &v1.Pod{}
	if err := json.Unmarshal(raw, pod); err != nil {
		return nil, err
	}
	corev1.SetObjectDefaults_Pod(pod)
	internal := &api.Pod{}
	if err := corev1.Convert_v1_Pod_To_core_Pod(pod, internal, nil); err != nil {
		return nil, err
	}
	defaultOnCreate(internal)
	stored := &v1.Pod{}
	if err := corev1.Convert_core_Pod_To_v1_Pod(internal, stored, nil); err != nil {
		return nil, err
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	read := &v1.Pod{}
	if err := json.Unmarshal(text, read); err != nil {
		return nil, err
	}
	read.Namespace = "default"
	read.UID = types.UID(fmt.Sprintf("uid-%d", number))
	read.Status.QOSClass = v1qos.ComputePodQOS(read)
	return read, nil
}
