// Command floor is the webhook that does nothing: it reads an AdmissionReview and allows. What it costs, every webhook
// costs.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
)

func main() {
	address := flag.String("address", "127.0.0.1:8443", "where to listen")
	certificate := flag.String("certificate", "tls.crt", "file of the certificate")
	key := flag.String("key", "tls.key", "file of its key")
	flag.Parse()
	http.HandleFunc("/validate", allow)
	http.HandleFunc("/mutate", allow)
	log.Fatal(http.ListenAndServeTLS(*address, *certificate, *key, nil))
}

func allow(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
		http.Error(writer, "no AdmissionReview", http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	answer, err := json.Marshal(review)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	_, _ = writer.Write(answer)
}
