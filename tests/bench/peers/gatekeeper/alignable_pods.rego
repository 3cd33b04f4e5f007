package alignablepods

containers contains container if some container in input.review.object.spec.containers

containers contains container if some container in input.review.object.spec.initContainers

gpus(container) := to_number(container.resources.limits["nvidia.com/gpu"])

violation contains {"msg": msg} if {
	some container in containers
	some name in ["cpu", "memory"]
	not container.resources.limits[name]
	msg := sprintf("container %v has no limit of %v", [container.name, name])
}

violation contains {"msg": msg} if {
	some container in containers
	some name in ["cpu", "memory"]
	not container.resources.requests[name]
	msg := sprintf("container %v has no request of %v", [container.name, name])
}

violation contains {"msg": msg} if {
	some container in containers
	some name in ["cpu", "memory"]
	units.parse(container.resources.requests[name]) != units.parse(container.resources.limits[name])
	msg := sprintf("container %v: request and limit of %v differ", [container.name, name])
}

violation contains {"msg": msg} if {
	some container in containers
	gpus(container) > 0
	cpu := units.parse(container.resources.limits.cpu)
	cpu != floor(cpu)
	msg := sprintf("container %v has GPUs and needs whole CPUs", [container.name])
}

violation contains {"msg": msg} if {
	some container in containers
	gpus(container) > 4
	msg := sprintf("container %v has more GPUs than a NUMA node", [container.name])
}
