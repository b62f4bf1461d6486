// The pace of the page while the user types. Every change is evaluated as soon
// as the engine is free, but not all that follows may happen at every key.

import type { Evaluated } from "./protocol.ts";

/** How long no key is pressed before a text counts as finished, in milliseconds. */
const PAUSE = 150;

/** How long no key is pressed before the page complains about the text, in milliseconds. */
const PATIENCE = 600;

/** How often to look whether a word is still half written, in milliseconds. */
const LOOK = 100;

export class Pace {
  /** Whether the reader chooses among completions. */
  readonly #completing: () => boolean;
  /** When the pause is over, by the clock of the page. */
  #until = 0;
  /** A key was pressed since the last result was shown. */
  #typed = false;
  readonly #waiting = new Map<string, number>();
  /** The errors in the result that is shown. */
  #errors = 0;

  constructor(completing: () => boolean = () => false) {
    this.#completing = completing;
  }

  /** A key was pressed: what waits for a pause goes on waiting. */
  typed(): void {
    this.#typed = true;
    this.#until = performance.now() + PAUSE;
  }

  /** Does something when nobody types, at once if nobody does; in place of what waits under the same name. */
  whenPaused(name: string, run: () => void): void {
    window.clearTimeout(this.#waiting.get(name));
    const wait = this.#until - performance.now();
    if (wait <= 0) run();
    else
      this.#waiting.set(
        name,
        window.setTimeout(() => this.whenPaused(name, run), wait),
      );
  }

  /**
   * Shows a result. Half a word gives errors that the next key removes: a
   * result with more errors than the one that is shown waits for a longer pause,
   * and until no completions are offered. Every other is shown at once. A pause begins with
   * the result of a key: where that takes long, what follows it would delay the next key.
   */
  show(reply: Evaluated, show: () => void): void {
    const errors =
      reply.broken === undefined ? reply.report.diagnostics.filter((d) => d.severity === "error").length : Infinity;
    const take = (): void => {
      this.#errors = errors;
      if (this.#typed) this.#until = Math.max(this.#until, performance.now() + PAUSE);
      this.#typed = false;
      show();
    };
    window.clearTimeout(this.#waiting.get("result"));
    if (errors > this.#errors) this.#whenFinished(take);
    else take();
  }

  /** Does something when the word before the cursor counts as finished. */
  #whenFinished(run: () => void): void {
    const wait = this.#until === 0 ? 0 : this.#until + PATIENCE - PAUSE - performance.now();
    if (wait <= 0 && !this.#completing()) run();
    else
      this.#waiting.set(
        "result",
        window.setTimeout(() => this.#whenFinished(run), Math.max(wait, LOOK)),
      );
  }
}
