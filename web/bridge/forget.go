package bridge

// Forget drops the reports of earlier calls. Compiled results stay for the next call and become
// part of the engine's memory image (scripts/module/snapshot).
func Forget() { results.forget() }
