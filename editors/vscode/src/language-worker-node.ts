// The language server in a worker of Node.

import "./node-globals.ts"; // before wasm_exec.js, which looks for them
import "./language-worker.ts";
