// Shows how far the engine is. The page can be read all the while.

import { byID } from "./dom.ts";
import type { EngineState } from "./engine-client.ts";

export class EngineStatus {
  readonly #box = byID("engine-state", HTMLElement);
  readonly #text = byID("engine-text", HTMLElement);
  readonly #progress = byID("engine-progress", HTMLProgressElement);
  readonly #retry = byID("engine-retry", HTMLButtonElement);
  #answered = false;

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
        // Bytes would be those after decompression, which nobody waits for.
        this.#text.textContent =
          state.loaded < state.total
            ? `Loading the engine, ${Math.floor((100 * state.loaded) / state.total)} %`
            : "Starting the engine";
        break;
      case "failed":
        this.#text.textContent = `The engine could not be loaded: ${state.message}. The command line does the same: preadmit eval`;
        break;
      case "ready":
        this.#text.textContent = "Evaluating…";
        break;
      default:
        this.#text.textContent = "";
    }
    this.#box.classList.toggle("is-evaluating", state.name === "ready" && !this.#answered);
  }

  /** The first answer is there: nothing is waited for any more. */
  answered(): void {
    this.#answered = true;
    this.#box.classList.remove("is-evaluating");
  }
}
