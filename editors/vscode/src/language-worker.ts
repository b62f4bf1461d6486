// The language server in a worker: the same program as preadmit lsp, as WebAssembly. The first message has the
// program; all others are messages of the protocol, in both directions.

import "../../../web/app/generated/wasm_exec.js";

/** What wasm_exec.js declares. */
declare const Go: new () => {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
};

/** What the program has on the global object, and what it calls there (inworker/main.go). */
interface Global {
  preadmitReceive?: (message: string) => void;
  preadmitSend?: (message: string) => void;
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

const own = globalThis as unknown as Global;
const early: string[] = [];
own.preadmitSend = (message) => own.postMessage(JSON.parse(message));
own.onmessage = ({ data }) => {
  if (data instanceof Uint8Array) return void start(data);
  const message = JSON.stringify(data);
  if (own.preadmitReceive === undefined) early.push(message);
  else own.preadmitReceive(message);
};

async function start(program: Uint8Array): Promise<void> {
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(program as BufferSource as ArrayBuffer, go.importObject);
  void go.run(instance as unknown as WebAssembly.Instance); // it runs until its first wait, so it receives now
  for (const message of early.splice(0)) own.preadmitReceive?.(message);
}
