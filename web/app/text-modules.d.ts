// Files that esbuild turns into strings.
declare module "*.txt" {
  const text: string;
  export default text;
}

// Go's loader, copied by scripts/build from the Go installation that compiled
// the engine. It puts the class Go on the global object.
declare module "*/wasm_exec.js";
