{{- if eq .Values.policy.source "objects" }}
{{- range .Values.policy.documents }}
---
{{ include "numagate.document" (dict "document" . "mode" $.Values.mode) }}
{{- end }}
{{- end }}
