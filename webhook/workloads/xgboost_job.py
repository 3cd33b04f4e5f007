"""An XGBoostJob of Kubeflow: a master and workers of XGBoost."""

from webhook.workloads._families.kubeflow import training_job

WORKLOAD = training_job("xgboost-job", "XGBoostJob", "xgbReplicaSpecs")
