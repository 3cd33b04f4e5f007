"""A PyTorchJob of Kubeflow: a master and workers of PyTorch."""

from webhook.workloads._families.kubeflow import training_job

WORKLOAD = training_job("pytorch-job", "PyTorchJob", "pytorchReplicaSpecs")
