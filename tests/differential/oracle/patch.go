package main

import (
	"encoding/json"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// patchAnswer is what the API server makes of a webhook's patch.
type patchAnswer struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	// Document is the patched text, Pod what is decoded from it where it is a pod.
	Document json.RawMessage `json:"document,omitempty"`
	Pod      *v1.Pod         `json:"pod,omitempty"`
}

var codecs = newCodecs()

func newCodecs() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	utilruntime.Must(v1.AddToScheme(scheme))
	return serializer.NewCodecFactory(scheme)
}

// answerPatch does what mutatingDispatcher.callAttrMutatingHook does with the patch of an answer.
func answerPatch(asked question) any {
	patch, err := jsonpatch.DecodePatch(asked.Patch)
	if err != nil {
		return patchAnswer{Error: err.Error()}
	}
	patched := []byte(asked.Document)
	if len(patch) > 0 {
		if patched, err = patch.Apply(asked.Document); err != nil {
			return patchAnswer{Error: err.Error()}
		}
	}
	answer := patchAnswer{OK: true, Document: patched}
	if object, _, err := codecs.UniversalDeserializer().Decode(patched, nil, nil); err == nil {
		answer.Pod, _ = object.(*v1.Pod)
	}
	return answer
}
