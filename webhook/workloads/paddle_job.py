"""A PaddleJob of Kubeflow: a master and workers of PaddlePaddle."""

from webhook.workloads._families.kubeflow import training_job

WORKLOAD = training_job("paddle-job", "PaddleJob", "paddleReplicaSpecs")
