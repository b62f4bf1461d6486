package agents_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestAnswersAfterTheEnd: calls that were read before the end of the input are answered.
func TestAnswersAfterTheEnd(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for i := range 5 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"check","arguments":{"policies":"kind: Nothing%d"}}}`+"\n", i+1, i)
	}
	var out bytes.Buffer
	if err := server(t).Answer(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,"result"`, i)) {
			t.Errorf("call %d has no answer:\n%s", i, out.String())
		}
	}
}
