package main

import (
	"reflect"
	"sort"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubelet/config/v1beta1"
)

// facts are what this version's kubelet knows: its feature gates, and the fields of its configuration with their kinds.
type facts struct {
	Gates  map[string]gate   `json:"gates"`
	Fields map[string]string `json:"fields"`
}

type gate struct {
	Stage  string   `json:"stage"`
	On     bool     `json:"on"`
	Locked bool     `json:"locked,omitempty"`
	Needs  []string `json:"needs,omitempty"`
}

// depending has the gates that each gate does not work without; not every version tells.
type depending interface {
	Dependencies() map[featuregate.Feature][]featuregate.Feature
}

func knownFacts() facts {
	known := facts{map[string]gate{}, map[string]string{}}
	needs := map[featuregate.Feature][]featuregate.Feature{}
	if able, told := any(utilfeature.DefaultMutableFeatureGate).(depending); told {
		needs = able.Dependencies()
	}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		one := gate{Stage: string(spec.PreRelease), On: spec.Default, Locked: spec.LockToDefault}
		for _, other := range needs[name] {
			one.Needs = append(one.Needs, string(other))
		}
		sort.Strings(one.Needs)
		known.Gates[string(name)] = one
	}
	written := reflect.TypeOf(v1beta1.KubeletConfiguration{})
	for index := range written.NumField() {
		field := written.Field(index)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			known.Fields[name] = kindOf(field.Type)
		}
	}
	return known
}

func kindOf(of reflect.Type) string {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.String() == "v1.Duration" {
		return "duration"
	}
	switch of.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int32, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list of " + kindOf(of.Elem())
	case reflect.Map:
		return "map of " + kindOf(of.Elem())
	}
	return "object"
}
