{{- /* Rendered by `numagate manifests`: change the code or the policy, not this file. */ -}}
{{/* The image of all pods: a digest wins over the tag. */}}
{{- define "numagate.image" -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest -}}
@{{ .Values.image.digest }}
{{- else -}}
:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The host of an address for dnsNames: nothing where it is an IP address. */}}
{{- define "numagate.dnsName" -}}
{{- $host := (urlParse .).hostname -}}
{{- if not (regexMatch "^[0-9.]+$|:" $host) }}{{ $host }}{{ end -}}
{{- end -}}

{{/* The IP addresses among the hosts of both addresses, as a YAML list. */}}
{{- define "numagate.ipAddresses" -}}
{{- $found := list -}}
{{- range compact (list .Values.webhooks.url .Values.webhooks.controllerUrl) -}}
  {{- $host := (urlParse .).hostname -}}
  {{- if regexMatch "^[0-9.]+$|:" $host }}{{ $found = append $found $host }}{{ end -}}
{{- end -}}
{{- uniq $found | toYaml -}}
{{- end -}}

{{/* A document of policy.documents as it is installed: an AlignmentPolicy of mode observe only looks, and no label of a
     namespace can raise it (the same as policy_text.observing_objects does for the kustomize folder). */}}
{{- define "numagate.document" -}}
{{- $document := deepCopy .document -}}
{{- if and (eq .mode "observe") (eq $document.kind "AlignmentPolicy") -}}
  {{- $off := dict "enforce" "none" "repair" "none" -}}
  {{- $spec := $document.spec | default dict -}}
  {{- $_ := set $spec "modes" (merge (deepCopy $off) ($spec.modes | default dict)) -}}
  {{- $_ := set $spec "overrides" (merge (deepCopy $off) ($spec.overrides | default dict)) -}}
  {{- range $spec.namespaces -}}
    {{- $_ := set . "modes" (merge (deepCopy $off) (.modes | default dict)) -}}
  {{- end -}}
  {{- $_ := set $document "spec" $spec -}}
{{- end -}}
{{- toYaml $document -}}
{{- end -}}

{{/* All documents as one file. */}}
{{- define "numagate.documents" -}}
{{- $mode := .Values.mode -}}
{{- $policies := 0 -}}
{{- range .Values.policy.documents -}}
  {{- if eq .kind "AlignmentPolicy" }}{{ $policies = add1 $policies }}{{ end -}}
{{- end -}}
{{- if not $policies -}}
  {{- fail "policy.source file needs an AlignmentPolicy in policy.documents: without one the built-in policy would enforce, in every mode" -}}
{{- end -}}
{{- range $index, $document := .Values.policy.documents -}}
{{- if $index }}
---
{{ end -}}
{{- include "numagate.document" (dict "document" $document "mode" $mode) -}}
{{- end -}}
{{- end -}}
