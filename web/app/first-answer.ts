// What waits until the engine has evaluated once: until then the processor is for that.

import { delay, whenIdle } from "./dom.ts";

/** How long what nobody sees yet waits for it at most, in milliseconds. */
const LATE = 3000;

export class FirstAnswer {
  #given = (): void => undefined;
  readonly #there = new Promise<void>((resolve) => (this.#given = resolve));
  /** Settled when the answer is there, or when it takes long. */
  readonly soon = Promise.race([this.#there, delay(LATE)]);

  /** An evaluation has ended, well or not. */
  given(): void {
    this.#given();
  }

  /** Does something once it is there and the browser has time. */
  whenGiven(work: () => void): void {
    void this.#there.then(() => whenIdle(work));
  }
}
