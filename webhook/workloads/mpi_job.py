"""An MPIJob of Kubeflow, in its training operator or in the MPI operator: a launcher and workers."""

from webhook.workloads._families.kubeflow import training_job

WORKLOAD = training_job("mpi-job", "MPIJob", "mpiReplicaSpecs", ("v1", "v2beta1"))
