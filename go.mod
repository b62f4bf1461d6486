module github.com/preadmit/preadmit

go 1.26.0

require (
	github.com/a-h/templ v0.3.977 // indirect
	github.com/evanphx/json-patch/v5 v5.9.11 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	k8s.io/api v0.37.2 // indirect
	k8s.io/apimachinery v0.37.2 // indirect
	k8s.io/apiserver v0.37.2 // indirect
	sigs.k8s.io/structured-merge-diff/v4 v4.7.0 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)
