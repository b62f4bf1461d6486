package bridge

// Forget drops the reports of former calls. What the engine has compiled stays, so that
// the next call finds it: that is what its image is made of (scripts/module/snapshot).
func Forget() { results.forget() }
