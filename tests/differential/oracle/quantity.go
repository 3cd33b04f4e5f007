package main

import (
	"encoding/json"
	"errors"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityAnswer is what Kubernetes makes of one quantity.
type quantityAnswer struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"`
	Text   string `json:"text"`
	Format string `json:"format"`
	// Milli and Value are decimal text: JSON numbers lose digits. Go answers 0 or garbage where they overflow;
	// Approximate tells such values.
	Milli       string `json:"milli"`
	Value       string `json:"value"`
	Approximate string `json:"approximate"`
	// AsInt64 is asked of the quantity read back from its text, as the node does; null where that fails.
	AsInt64 *string `json:"asInt64"`
	// RoundedUp is the text after the API server's defaulting to milli.
	RoundedUp string        `json:"roundedUp"`
	Pair      *quantityPair `json:"pair,omitempty"`
}

// quantityPair is what Kubernetes makes of two quantities.
type quantityPair struct {
	Cmp        int    `json:"cmp"`
	Sum        string `json:"sum"`
	Difference string `json:"difference"`
}

func answerQuantity(asked question) any {
	parsed, err := readQuantity(asked)
	if err != nil {
		return quantityAnswer{Error: err.Error()}
	}
	answer := quantityAnswer{
		OK:          true,
		Text:        parsed.String(),
		Format:      string(parsed.Format),
		Milli:       strconv.FormatInt(parsed.MilliValue(), 10),
		Value:       strconv.FormatInt(parsed.Value(), 10),
		Approximate: strconv.FormatFloat(parsed.AsApproximateFloat64(), 'g', -1, 64),
	}
	if stored, err := resource.ParseQuantity(answer.Text); err == nil {
		if number, ok := stored.AsInt64(); ok {
			text := strconv.FormatInt(number, 10)
			answer.AsInt64 = &text
		}
	}
	rounded := parsed.DeepCopy()
	rounded.RoundUp(resource.Milli)
	answer.RoundedUp = rounded.String()
	if asked.Other != nil {
		other, err := resource.ParseQuantity(*asked.Other)
		if err != nil {
			return quantityAnswer{Error: "other: " + err.Error()}
		}
		sum, difference := parsed.DeepCopy(), parsed.DeepCopy()
		sum.Add(other.DeepCopy())
		difference.Sub(other.DeepCopy())
		answer.Pair = &quantityPair{Cmp: parsed.Cmp(other.DeepCopy()), Sum: sum.String(), Difference: difference.String()}
	}
	return answer
}

func readQuantity(asked question) (parsed resource.Quantity, err error) {
	switch {
	case asked.JSON != nil:
		err = parsed.UnmarshalJSON([]byte(*asked.JSON))
	case asked.Float != nil:
		var raw []byte
		if raw, err = json.Marshal(*asked.Float); err == nil {
			err = parsed.UnmarshalJSON(raw)
		}
	case asked.Text != nil:
		parsed, err = resource.ParseQuantity(*asked.Text)
	default:
		err = errors.New("no quantity in the question")
	}
	return parsed, err
}
