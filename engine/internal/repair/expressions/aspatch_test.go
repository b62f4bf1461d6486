package expressions

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func TestAsPatch(t *testing.T) {
	cat, err := catalog.For(version.Newest())
	if err != nil {
		t.Fatal(err)
	}
	pod, _ := cat.TypeOf(schema.FromAPIVersionAndKind("v1", "Pod"))
	for what, c := range map[string]struct{ apply, patch string }{
		"an atomic list": {`Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'a'}]}}`,
			`[JSONPatch{op: 'add', path: '/spec/tolerations', value: [Object.spec.tolerations{key: 'a'}]}]`},
		"an atomic list of every container": {`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, args: ['-v']})}}`,
			`object.spec.containers.transformList(i, c, JSONPatch{op: 'add', path: '/spec/containers/' + string(i) + '/args', value: ['-v']})`},
		"of some containers": {`Object{spec: Object.spec{containers: object.spec.containers.filter(c, !has(c.args)).map(c, Object.spec.containers{name: c.name, args: ['-v']})}}`,
			`object.spec.containers.transformList(i, c, !has(c.args), JSONPatch{op: 'add', path: '/spec/containers/' + string(i) + '/args', value: ['-v']})`},
		"an atomic map keeps its other entries": {`Object{spec: Object.spec{nodeSelector: Object.spec.nodeSelector{disk: 'ssd'}}}`,
			`(!has(object.spec.nodeSelector) ? [JSONPatch{op: 'add', path: '/spec/nodeSelector', value: {}}] : []) + [JSONPatch{op: 'add', path: '/spec/nodeSelector/disk', value: 'ssd'}]`},
		"null removes": {`Object{spec: Object.spec{hostname: null}}`,
			`(has(object.spec.hostname) ? [JSONPatch{op: 'remove', path: '/spec/hostname'}] : [])`},
		"null removes an entry, whose map need not be made": {`Object{metadata: Object.metadata{labels: {'a/b': null}}}`,
			`(has(object.metadata.labels) && 'a/b' in object.metadata.labels ? [JSONPatch{op: 'remove', path: '/metadata/labels/a~1b'}] : [])`},
		"optional.none() removes an entry as well": {`Object{metadata: Object.metadata{labels: {?'a/b': optional.none()}}}`,
			`(has(object.metadata.labels) && 'a/b' in object.metadata.labels ? [JSONPatch{op: 'remove', path: '/metadata/labels/a~1b'}] : [])`},
		"what is below what need not be there": {`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, securityContext: Object.spec.containers.securityContext{capabilities: Object.spec.containers.securityContext.capabilities{drop: ['ALL']}}})}}`,
			`object.spec.containers.transformList(i, c, !has(c.securityContext), JSONPatch{op: 'add', path: '/spec/containers/' + string(i) + '/securityContext', value: {}})` +
				` + object.spec.containers.transformList(i, c, !(has(c.securityContext) && has(c.securityContext.capabilities)), JSONPatch{op: 'add', path: '/spec/containers/' + string(i) + '/securityContext/capabilities', value: {}})` +
				` + object.spec.containers.transformList(i, c, JSONPatch{op: 'add', path: '/spec/containers/' + string(i) + '/securityContext/capabilities/drop', value: ['ALL']})`},
		"items before those that there are": {`Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', args: ['-v']}] + object.spec.containers}}`,
			`object.spec.containers.transformList(i, e, e.name == 'a', JSONPatch{op: 'add', path: '/spec/containers/' + string(i) + '/args', value: ['-v']})` +
				` + (!object.spec.containers.exists(e, e.name == 'a') ? [JSONPatch{op: 'add', path: '/spec/containers/0', value: Object.spec.containers{name: 'a', args: ['-v']}}] : [])`},
		"items behind those that there are": {`Object{spec: Object.spec{initContainers: object.spec.?initContainers.orValue([]) + [Object.spec.initContainers{name: 'a'}]}}`,
			`(!has(object.spec.initContainers) ? [JSONPatch{op: 'add', path: '/spec/initContainers', value: []}] : [])` +
				` + (!(has(object.spec.initContainers) ? object.spec.initContainers : []).exists(e, e.name == 'a') ? [JSONPatch{op: 'add', path: '/spec/initContainers/-', value: Object.spec.initContainers{name: 'a'}}] : [])`},
		"items beside those of another list": {`Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a'}] + object.spec.initContainers}}`, ``},
		"a choice": {`has(object.spec.hostname) ? Object{} : Object{spec: Object.spec{tolerations: []}}`,
			`has(object.spec.hostname) ? [] : [JSONPatch{op: 'add', path: '/spec/tolerations', value: []}]`},
		"a comment, which would hide what follows": {"Object{spec: Object.spec{hostname: 'a' // the name\n}}",
			`[JSONPatch{op: 'add', path: '/spec/hostname', value: 'a'}]`},
		"an optional field": {`Object{spec: Object.spec{?tolerations: optional.of([])}}`, ``},
		"an optional field that is meant to go": {`Object{spec: Object.spec{?tolerations: optional.none()}}`,
			`(has(object.spec.tolerations) ? [JSONPatch{op: 'remove', path: '/spec/tolerations'}] : [])`},
		"items that a filter drops": {`Object{spec: Object.spec{volumes: object.spec.?volumes.orValue([]).filter(v, v.name != 'a')}}`,
			`(has(object.spec.volumes) ? object.spec.volumes.transformList(j, v, !(v.name != 'a'), j).reverse().map(j, JSONPatch{op: 'remove', path: '/spec/volumes/' + string(j)}) : [])`},
		"items in items that a filter drops": {`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: c.env.filter(e, e.name != 'A').map(e, Object.spec.containers.env{name: e.name, ?value: e.?value})})}}`,
			`object.spec.containers.transformList(i, c, has(c.env), c.env.transformList(j, e, !(e.name != 'A'), j).reverse().map(j, JSONPatch{op: 'remove', path: '/spec/containers/' + string(i) + '/env/' + string(j)})).flatten()`},
		"an empty map, which the server treats as none": {`Object{metadata: Object.metadata{labels: {}}}`,
			`(has(object.metadata.labels) ? [JSONPatch{op: 'remove', path: '/metadata/labels'}] : [])`},
		"entries that a filter drops": {`Object{metadata: Object.metadata{labels: object.metadata.labels.transformMap(k, v, k != 'a', v)}}`,
			`(has(object.metadata.labels) ? object.metadata.labels.transformList(k, v, !(k != 'a'), JSONPatch{op: 'remove', path: '/metadata/labels/' + jsonpatch.escapeKey(k)}) : [])`},
		"entries that are changed as well": {`Object{metadata: Object.metadata{labels: object.metadata.labels.transformMap(k, v, k != 'a', v + 'b')}}`, ``},
		"items of another list":            {`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: object.spec.containers[0].env.filter(e, e.name != 'A')})}}`, ``},
		"a list that would be merged":      {`Object{spec: Object.spec{containers: variables.more, tolerations: []}}`, ``},
		"a field that there is not":        {`Object{spec: Object.spec{nothing: []}}`, ``},
		"a map that would be merged":       {`Object{metadata: Object.metadata{labels: variables.labels}}`, ``},
		"a list in the items of another":   {`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, ports: [Object.spec.containers.ports{containerPort: 1}]})}}`, ``},
	} {
		if got := AsPatch(c.apply, pod, nil); got != c.patch {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, c.patch)
		}
	}
}
