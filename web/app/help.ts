// Completion and hover help from the engine. The engine counts bytes, the
// editors UTF-16 units; scenario() gives the texts as they are now.

import type { Extension } from "@codemirror/state";
import { completeWith, hoverHelp, type CompletionAnswer, type HoverAnswer } from "@preadmit/lang-cel";

import { Superseded, type EngineClient } from "./engine-client.ts";
import { Offsets } from "./offsets.ts";
import type { Scenario, TextName } from "./protocol.ts";

export function helpFor(text: TextName, engine: EngineClient, scenario: () => Scenario): Extension {
  /** Asks at an offset; null when the engine is not there yet or has nothing to say. */
  async function ask<T extends { from: number; to: number }>(method: string, offset: number): Promise<T | null> {
    if (engine.state.name !== "ready") return null;
    const now = scenario();
    const offsets = new Offsets(now[text] ?? "");
    const params = { scenario: now, text, offset: offsets.toBytes(offset) };
    try {
      const answer = (await engine.call({ method, params }, method)) as T | null | undefined;
      return answer ? { ...answer, from: offsets.toUnits(answer.from), to: offsets.toUnits(answer.to) } : null;
    } catch (error) {
      if (error instanceof Superseded) return null;
      throw error;
    }
  }
  return [
    completeWith(text, (_, offset) => ask<CompletionAnswer>("complete", offset)),
    hoverHelp(text, (_, offset) => ask<HoverAnswer>("hover", offset)),
  ];
}
