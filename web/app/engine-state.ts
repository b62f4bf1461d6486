// Tells how far the engine is. The page can be read all the while.

import { byID } from "./dom.ts";
import type { EngineState } from "./engine-client.ts";

const MB = 1_000_000;

export class EngineStatus {
  readonly #box = byID("engine-state", HTMLElement);
  readonly #text = byID("engine-text", HTMLElement);
  readonly #progress = byID("engine-progress", HTMLProgressElement);
  readonly #retry = byID("engine-retry", HTMLButtonElement);

  constructor(onRetry: () => void) {
    this.#retry.addEventListener("click", onRetry);
  }

  show(state: EngineState): void {
    this.#box.dataset["state"] = state.name;
    this.#retry.hidden = state.name !== "failed";
    switch (state.name) {
      case "loading":
        this.#progress.max = state.total;
        this.#progress.value = state.loaded;
        this.#text.textContent =
          state.loaded < state.total
            ? `Loading the engine, ${(state.loaded / MB).toFixed(0)} of ${(state.total / MB).toFixed(0)} MB`
            : "Starting the engine";
        break;
      case "failed":
        this.#text.textContent = `The engine could not be loaded: ${state.message}. The command line does the same: preadmit eval`;
        break;
      default:
        this.#text.textContent = "";
    }
  }
}
