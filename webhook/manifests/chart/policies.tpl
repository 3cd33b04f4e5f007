{{- if and (eq .Release.Namespace "default") (lookup "v1" "Namespace" "" "default") }}
{{- fail "numagate never judges its own namespace, so it needs one of its own: helm install --namespace numagate-system --create-namespace" }}
{{- end }}
{{- if eq .Values.policy.source "objects" }}
{{- range .Values.policy.documents }}
---
{{ include "numagate.document" (dict "document" . "mode" $.Values.mode) }}
{{- end }}
{{- end }}
