// The worker that holds the engine. It never touches the page.

import "./generated/wasm_exec.js";
import { EngineHost, type Port } from "./engine-host.ts";
import type { GoRuntime } from "./snapshot.ts";

/** What wasm_exec.js declares. */
declare const Go: new () => GoRuntime;

// The global object of a worker is a port; the DOM's types know only that of pages.
new EngineHost(() => new Go()).serve(globalThis as unknown as Port);
