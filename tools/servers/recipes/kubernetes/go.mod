module hindsight/recipes/kubernetes

go 1.24

require k8s.io/kubernetes v1.34.2
