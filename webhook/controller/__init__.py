"""The controller: watches the cluster and writes down what serving replicas need to know of it."""
