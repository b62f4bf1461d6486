// Every repair that has one likely answer, at once, with the way back.

import type { EngineClient } from "./engine-client.ts";
import { notice } from "./notice.ts";
import type { Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import { same } from "./store.ts";

/** Applies the repairs to the scenario, unless the reader changes it meanwhile. */
export async function fixAll(
  engine: EngineClient,
  scenario: () => Scenario,
  put: (scenario: Scenario) => void,
): Promise<void> {
  const former = scenario();
  try {
    const { scenario: fixed, applied, errors } = await engine.call("fixAll", { scenario: former });
    if (!same(former, scenario())) return;
    put(fixed);
    const done = applied.length === 1 ? "1 fix" : `${String(applied.length)} fixes`;
    const left = errors === 0 ? "" : errors === 1 ? " 1 error is left." : ` ${String(errors)} errors are left.`;
    notice(`Applied ${done}.${left}`, { name: "Undo", run: () => put(former) });
  } catch (error) {
    notice(reasonOf(error));
  }
}
