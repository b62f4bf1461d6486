// The worker that holds the engine. It never touches the page.

import "./generated/wasm_exec.js";
import { EngineHost, type Port } from "./engine-host.ts";
import type { Load } from "./messages.ts";
import type { GoRuntime } from "./snapshot.ts";

/** What wasm_exec.js declares. */
declare const Go: new () => GoRuntime;

// The global object of a worker is a port; the DOM's types know only that of pages.
const own = globalThis as unknown as Port & { readonly name: string };
const host = new EngineHost(() => new Go());
host.serve(own);
// The page's first script says in the name what to load (early-worker.ts); others say it in a message.
if (own.name !== "") host.load(own, JSON.parse(own.name) as Load);
