// The editors of the texts, each in its place on the page.

import { Editor, type PastedText } from "./editor.ts";
import type { EngineClient } from "./engine-client.ts";
import { helpFor } from "./help.ts";
import { HINTS } from "./hints.ts";
import { languageOf } from "./languages.ts";
import type { Scenario } from "./protocol.ts";
import type { TextName } from "./texts.ts";

const LABELS: Record<TextName, string> = {
  policies: "Policies, YAML",
  request: "Request, YAML",
  cluster: "Cluster, YAML",
  expression: "Expression",
};

export interface EditorsEvents {
  /** Editors that are not on the screen wait for it. */
  later: Promise<void>;
  scenario(): Scenario;
  /** What the expression is read as to begin with. */
  context: string;
  onChange(pasted: boolean): void;
  onPaste(text: TextName, paste: PastedText): void;
  /** The reader asks for the result of what is at an offset. */
  onResult(text: TextName, offset: number): void;
  onCursor(text: TextName, offset: number): void;
  /** The reader sees another part of a text. */
  onSight(): void;
}

/** Puts an editor in the place of each text. */
export function makeEditors(engine: EngineClient, events: EditorsEvents): Record<TextName, Editor> {
  const make = (text: TextName): Editor => {
    const host = document.querySelector<HTMLElement>(`[data-editor=${text}]`);
    if (host === null) throw new Error(`the page has no place for ${text}`);
    return new Editor({
      host,
      label: LABELS[text],
      text: host.querySelector("pre")?.textContent ?? "",
      hint: HINTS[text],
      later: events.later,
      language: languageOf(text, events.context),
      help: helpFor(text, engine, events.scenario),
      onChange: events.onChange,
      onPaste: (paste) => events.onPaste(text, paste),
      onResult: (offset) => events.onResult(text, offset),
      onCursor: (offset) => events.onCursor(text, offset),
      onSight: events.onSight,
    });
  };
  return {
    policies: make("policies"),
    request: make("request"),
    cluster: make("cluster"),
    expression: make("expression"),
  };
}
