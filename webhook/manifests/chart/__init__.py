"""The Helm chart, made of the same objects as the kustomize folder."""
