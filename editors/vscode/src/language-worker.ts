// The language server in a worker: the same program as preadmit lsp, as WebAssembly. The first message has its two
// modules: the server, and the API server's own code; all others are messages of the protocol, in both directions.

import "../../../web/app/generated/wasm_exec.js";
import { startRegistry } from "../../../web/app/registry-part.ts";

/** What wasm_exec.js declares. */
declare const Go: new () => {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
};

/** What the program has on the global object, and what it calls there (inworker/main.go). */
interface Global {
  preadmitReceive?: (message: string) => void;
  preadmitRegistry?: (call: string) => string;
  preadmitSend?: (message: string) => void;
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

const own = globalThis as unknown as Global;
const early: string[] = [];
own.preadmitSend = (message) => own.postMessage(JSON.parse(message));
own.onmessage = ({ data }) => {
  if (Array.isArray(data)) return void start(data as [Uint8Array, Uint8Array]);
  const message = JSON.stringify(data);
  if (own.preadmitReceive === undefined) early.push(message);
  else own.preadmitReceive(message);
};

async function start(modules: [server: Uint8Array, registry: Uint8Array]): Promise<void> {
  const [server, registry] = await Promise.all(
    modules.map((bytes) => WebAssembly.compile(bytes as BufferSource as ArrayBuffer)) as [
      Promise<WebAssembly.Module>,
      Promise<WebAssembly.Module>,
    ],
  );
  own.preadmitRegistry = await startRegistry(registry);
  const go = new Go();
  const instance = await WebAssembly.instantiate(server, go.importObject);
  void go.run(instance); // it runs until its first wait, so it receives now
  for (const message of early.splice(0)) own.preadmitReceive?.(message);
}
