// The worker of the engine, started by the first script of the page, while the rest
// of the page is still on its way: nothing takes as long as the engine. What it says
// before the page's module listens is kept for it.

import { newName } from "./embed-channel.ts";
import type { FromWorker, Load } from "./messages.ts";
import { trustedScript } from "./trusted.ts";

/** A worker that loads, and what it has said so far. */
export interface EarlyWorker {
  url: string;
  worker: Worker;
  /** The name of the channel of its replies. */
  replies: string;
  heard: FromWorker[];
  failed?: string;
}

declare global {
  interface Window {
    preadmitWorker?: EarlyWorker | undefined;
  }
}

/**
 * Starts the worker that the script's element names, if it names one. more says that the page will show something else
 * than its example, kept that an earlier visit has put the engine aside.
 */
export function startEarly(script: HTMLElement | SVGElement | null, more: boolean, kept: boolean): void {
  const { worker: url, engine, engineBytes } = script?.dataset ?? {};
  if (url === undefined || engine === undefined) return;
  const replies = newName();
  const load: Load = { type: "load", url: engine, bytes: Number(engineBytes), more, kept, replies };
  // In its name, as browsers keep messages until the page, which is busy then, has heard that the worker's script has run.
  const worker = new Worker(trustedScript(url), { name: JSON.stringify(load) });
  const early: EarlyWorker = { url, worker, replies, heard: [] };
  worker.onmessage = (event: MessageEvent<FromWorker>): void => void early.heard.push(event.data);
  worker.onerror = (event): void => void (early.failed = event.message || "the worker could not be started");
  window.preadmitWorker = early;
}

/** Hands over the worker of the address that was started early, once. */
export function takeEarly(url: string): EarlyWorker | undefined {
  const early = window.preadmitWorker;
  if (early?.url !== url) return undefined;
  window.preadmitWorker = undefined;
  return early;
}
