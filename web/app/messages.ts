// The messages between the page and the worker that holds the engine. What the
// calls take and give is in protocol.ts.

import type { Calls } from "./protocol.ts";

/** A call into the engine. */
export interface Call {
  method: keyof Calls;
  params: Calls[keyof Calls]["params"];
}

/** What the engine says to a call; one of the two is there. */
export interface Reply {
  result?: unknown;
  error?: string;
}

/** Load the engine. */
export interface Load {
  type: "load";
  url: string;
  /** How large the first part is. */
  bytes: number;
  /** What is evaluated first needs more than the first part. */
  more: boolean;
  /** A service worker of an earlier visit is there, which put the engine aside. */
  kept?: boolean;
  /** The name of the channel on which short replies come besides (reply-channel.ts). */
  replies?: string;
}

/** Page to worker. */
export type ToWorker =
  | Load
  /** An example goes its own way: what it asked for is not wanted any more (hub.ts). */
  | { type: "leave" }
  /** Load the API server's own code, which the last evaluation would have asked. */
  | { type: "registry" }
  | { type: "call"; id: number; call: Call };

/** Worker to page. */
export type FromWorker =
  /** The hub of the examples of a page is there, and listens. */
  | { type: "here" }
  | { type: "progress"; loaded: number; total: number }
  | { type: "ready" }
  /** The call under way waits for another part of the engine; over says that it came. */
  | { type: "waiting"; over?: true }
  /** The API server's own code is there, or cannot be had: evaluations from now on say which. */
  | { type: "registry" }
  /** incomplete says that a call needed another part, which did not come. */
  | { type: "failed"; message: string; incomplete?: true }
  /** memory is what the module has taken so far, in bytes. */
  | ({ type: "reply"; id: number; memory?: number } & Reply);
