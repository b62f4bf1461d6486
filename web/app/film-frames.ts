// The film strip of the object: two frames that are chosen are compared. Nothing is
// compared before a reader chooses them, so most results need none of it.

import { Superseded, type EngineClient } from "./engine-client.ts";
import { replace } from "./result.ts";

/** Chooses a frame, or no longer; two that are chosen are compared in their strip. */
export function choose(
  button: HTMLElement,
  film: HTMLElement,
  engine: EngineClient,
  id: number | undefined,
  gone: () => void,
): void {
  const [from, to] = press(film, button);
  const into = film.querySelector<HTMLElement>(".film-diff");
  if (into === null || id === undefined) return;
  if (from === undefined || to === undefined) return replace(into, "");
  engine.call("compare", { id, from, to }, "compare").then(
    (reply) => {
      if (reply.gone === true) gone();
      else replace(into, reply.html);
    },
    (error: unknown) => {
      // Another pair was chosen; a lost engine is reported by the next evaluation.
      if (!(error instanceof Superseded)) gone();
    },
  );
}

/** Presses a frame, or releases it; of more than two the one that was pressed first goes. Gives those that are. */
function press(film: HTMLElement, button: HTMLElement): number[] {
  const pressed = [...film.querySelectorAll<HTMLElement>("[data-frame][aria-pressed=true]")]
    .filter((b) => b !== button)
    .sort((a, b) => Number(a.dataset["since"]) - Number(b.dataset["since"]));
  const on = button.ariaPressed !== "true";
  if (on && pressed.length > 1) pressed.shift()?.setAttribute("aria-pressed", "false");
  button.ariaPressed = String(on);
  button.dataset["since"] = String(performance.now());
  if (on) pressed.push(button);
  return pressed.map((b) => Number(b.dataset["frame"]));
}
