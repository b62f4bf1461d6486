// Completion and hover help from the engine. The engine counts bytes, the
// editors UTF-16 units; scenario() gives the texts as they are now.

import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { completeWith, hoverHelp } from "@preadmit/lang-cel";

import { delay } from "./dom.ts";
import { Superseded, type EngineClient } from "./engine-client.ts";
import { Offsets } from "./offsets.ts";
import type { Calls, Scenario } from "./protocol.ts";
import type { TextName } from "./texts.ts";

/** Gives the engine the sentences about fields, once, when help is first asked for. */
let fieldDocs: Promise<void> | undefined;

async function giveFieldDocs(engine: EngineClient): Promise<void> {
  const address = document.body.dataset["fieldDocs"];
  if (!address) return;
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`the server answered ${response.status} for the help on fields`);
    await engine.call("fieldDocs", await response.text());
  } catch (error) {
    fieldDocs = undefined; // help works without the sentences; the next question tries again
    if (!(error instanceof Superseded)) console.error(error);
  }
}

/** How long the first question waits for the sentences, in milliseconds. */
const PATIENCE = 300;

export function helpFor(text: TextName, engine: EngineClient, scenario: () => Scenario): Extension {
  let last = new Offsets(""); // looking through a large text for each key would take long
  /** Asks at an offset; null when the engine is not there yet or has nothing to say. */
  async function ask<M extends "complete" | "hover">(method: M, offset: number): Promise<Calls[M]["result"] | null> {
    if (engine.state.name !== "ready") return null;
    fieldDocs ??= giveFieldDocs(engine);
    if (method === "hover") await Promise.race([fieldDocs, delay(PATIENCE)]);
    const now = scenario();
    const whole = now[text] ?? "";
    if (last.text !== whole) last = new Offsets(whole);
    const offsets = last;
    const params = { scenario: now, text, offset: offsets.toBytes(offset) };
    try {
      const answer = await engine.call(method, params, method);
      return answer ? { ...answer, from: offsets.toUnits(answer.from), to: offsets.toUnits(answer.to) } : null;
    } catch (error) {
      if (error instanceof Superseded) return null;
      throw error;
    }
  }
  /** The first question about CEL takes a second: it is asked before the reader does. */
  let warm = false;
  function warmUp(): void {
    const expression = /expression: *(?:[|>].*\n *)?\S/.exec(scenario()[text] ?? "");
    if (warm || expression === null || engine.state.name !== "ready") return;
    warm = true;
    void ask("complete", expression.index + expression[0].length);
  }
  return [
    EditorView.domEventHandlers({ focus: warmUp }),
    completeWith(text, (_, offset) => ask("complete", offset)),
    hoverHelp(text, (_, offset) => ask("hover", offset)),
  ];
}
