// The hidden frame of a page with embedded examples: it owns the one worker and
// hands it the ports of the examples. It has no state and shows nothing.

import type { ToWorker } from "./messages.ts";

let worker: Worker | undefined;

window.addEventListener("message", (event) => {
  if (event.source !== window.parent || event.ports.length === 0) return;
  worker ??= new Worker(document.body.dataset["worker"] ?? "");
  const message: ToWorker = { type: "connect" };
  worker.postMessage(message, [...event.ports]);
});
