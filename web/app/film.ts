// The film strip of the object, whose code is loaded when a frame is first chosen.

import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import { reasonOf } from "./reason.ts";

/**
 * Makes the strips of all results work. report names the one that is shown; gone is
 * called when the engine no longer has it.
 */
export function installFilm(engine: EngineClient, report: () => number | undefined, gone: () => void): void {
  document.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest<HTMLElement>(".film [data-frame]");
    const film = button?.closest<HTMLElement>(".film");
    if (button === null || film === null || film === undefined) return;
    import("./film-frames.ts").then(
      ({ choose }) => choose(button, film, engine, report(), gone),
      (error: unknown) => notice(`The comparison could not be loaded: ${reasonOf(error)}.`),
    );
  });
}
