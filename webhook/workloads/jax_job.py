"""A JAXJob of Kubeflow: workers of JAX."""

from webhook.workloads._families.kubeflow import training_job

WORKLOAD = training_job("jax-job", "JAXJob", "jaxReplicaSpecs")
