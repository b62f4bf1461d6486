// What wasm_exec.js finds on the global object in Node: with its files the server reads folders itself.

import * as fs from "node:fs";
import * as path from "node:path";
import { parentPort } from "node:worker_threads";

/** The messages of a worker of Node as those of one of the web. */
const own = globalThis as unknown as { onmessage: ((event: { data: unknown }) => void) | null };
Object.assign(globalThis, { fs, path, postMessage: (message: unknown) => parentPort?.postMessage(message) });
parentPort?.on("message", (data: unknown) => own.onmessage?.({ data }));
