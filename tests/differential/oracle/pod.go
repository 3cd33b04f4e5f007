package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	helpers "k8s.io/component-helpers/resource"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	kjson "sigs.k8s.io/json"
)

// podAnswer is what the API server makes of a pod that is created.
type podAnswer struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	// Decoded is what mutating webhooks see, Pod what validating ones see (but for status).
	Decoded *v1.Pod `json:"decoded,omitempty"`
	Pod     *v1.Pod `json:"pod,omitempty"`
	QOS     string  `json:"qos"`
	// Requests are the effective requests of Pod; Limits likewise.
	Requests map[string]string `json:"requests"`
	Limits   map[string]string `json:"limits"`
	Errors   []fieldError      `json:"errors"`
}

// fieldError is one line of the API server's "is invalid" answer.
type fieldError struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// answerPod does what decoding and podStrategy.PrepareForCreate and Validate do.
func answerPod(raw json.RawMessage) any {
	decoded := &v1.Pod{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, decoded); err != nil {
		return podAnswer{Error: err.Error()}
	}
	corev1.SetObjectDefaults_Pod(decoded)

	internal := &core.Pod{}
	if err := corev1.Convert_v1_Pod_To_core_Pod(decoded.DeepCopy(), internal, nil); err != nil {
		return podAnswer{Error: err.Error()}
	}
	internal.Status = core.PodStatus{Phase: core.PodPending}
	podutil.DropDisabledPodFields(internal, nil)
	podutil.DefaultPodLevelResources(internal)

	options := podutil.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	options.ResourceIsPod = true
	errors := []fieldError{}
	for _, found := range validation.ValidatePodCreate(internal, options) {
		errors = append(errors, fieldError{Field: found.Field, Type: string(found.Type), Detail: found.Detail})
	}

	stored := &v1.Pod{}
	if err := corev1.Convert_core_Pod_To_v1_Pod(internal, stored, nil); err != nil {
		return podAnswer{Error: err.Error()}
	}
	return podAnswer{
		OK:      true,
		Decoded: decoded,
		Pod:     stored,
		QOS:     string(qos.ComputePodQOS(stored)),
		// Copies, since these sums share long numbers with the pod and add overhead to them in place.
		Requests: texts(helpers.PodRequests(stored.DeepCopy(), helpers.PodResourcesOptions{})),
		Limits:   texts(helpers.PodLimits(stored.DeepCopy(), helpers.PodResourcesOptions{})),
		Errors:   errors,
	}
}

func texts(list v1.ResourceList) map[string]string {
	written := make(map[string]string, len(list))
	for name, quantity := range list {
		written[string(name)] = quantity.String()
	}
	return written
}
