"""A TFJob of Kubeflow: parameter servers and workers of TensorFlow."""

from webhook.workloads._families.kubeflow import training_job

WORKLOAD = training_job("tf-job", "TFJob", "tfReplicaSpecs")
