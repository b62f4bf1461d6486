//go:build js && wasm

// Command celgo measures cel-go in a browser: it compiles and evaluates one expression.
// scripts/bench compares it with the engine.
package main

import (
	"syscall/js"

	"github.com/google/cel-go/cel"
)

func main() {
	js.Global().Set("result", evaluated())
	select {}
}

// evaluated is true, or the text of an error.
func evaluated() any {
	env, err := cel.NewEnv(cel.Variable("object", cel.DynType))
	if err != nil {
		return err.Error()
	}
	ast, issues := env.Compile("object.spec.replicas <= 5")
	if issues.Err() != nil {
		return issues.Err().Error()
	}
	program, err := env.Program(ast)
	if err != nil {
		return err.Error()
	}
	value, _, err := program.Eval(map[string]any{"object": map[string]any{"spec": map[string]any{"replicas": 3}}})
	if err != nil {
		return err.Error()
	}
	return value.Value()
}
