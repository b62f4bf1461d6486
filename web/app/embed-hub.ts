// The hidden frame of a page with embedded examples: it owns their workers. It shows
// nothing, and takes nothing from the page around it but the name in its address.

import { type AtTheDoor, channelOf, theDoor } from "./embed-channel.ts";
import { Hub } from "./hub.ts";
import type { ToWorker } from "./messages.ts";
import { trustedScript } from "./trusted.ts";

const page = new URLSearchParams(location.search).get("page");
const door = theDoor(page);
const hub = new Hub(() => new Worker(trustedScript(document.body.dataset["worker"] ?? "")));
const channels = new Map<string, BroadcastChannel>();

if (page !== null && door !== undefined) {
  door.onmessage = (event: MessageEvent<AtTheDoor>): void => {
    if (event.data.type !== "join") return;
    const { frame } = event.data;
    const channel = channels.get(frame) ?? channelOf(page, frame);
    if (channel === undefined) return;
    channels.set(frame, channel);
    hub.join(frame, (message) => channel.postMessage(message));
    channel.onmessage = (said: MessageEvent<ToWorker>): void => {
      // One that failed and starts again has been forgotten.
      if (said.data.type === "load") hub.join(frame, (message) => channel.postMessage(message));
      hub.hear(frame, said.data);
    };
    channel.postMessage({ type: "here" });
  };
  door.postMessage({ type: "open" } satisfies AtTheDoor);
}
