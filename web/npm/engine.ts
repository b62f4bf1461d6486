// The engine as an npm package: the calls of the page, for programs.

import "../app/generated/wasm_exec.js";
import {
  type AnyText,
  type Calls,
  type Completions,
  type Diagnostic,
  type EvaluateParams,
  type FixedAll,
  type Help,
  PROTOCOL,
  type Report,
  type Scenario,
  type Step,
  VERSIONS,
} from "../app/protocol.ts";
import { startRegistry } from "../app/registry-part.ts";
import { type GoRuntime, heldIn, type Loader, resume } from "../app/snapshot.ts";

export type * from "../app/protocol.ts";

/** The Kubernetes releases that the engine simulates, newest first. */
export const releases: readonly string[] = VERSIONS;

/** What the server answers to a request, and why. */
export interface Verdict {
  /** The request is admitted. */
  allowed: boolean;
  /** The HTTP status code; 0 when there is no answer: a text is wrong, or there is no request. */
  code: number;
  /** The server's message; empty when it has none. */
  message: string;
  /** Policies or webhooks changed the object. */
  mutated: boolean;
  /** The final object as YAML; empty when there is none. */
  object: string;
  /** The problems of the texts. */
  diagnostics: Diagnostic[];
  /** The expressions with their values and costs, by the steps in which they ran. */
  steps: Step[];
  /** The request as the server sees it, the free expression, and what is assumed. */
  report: Report;
}

/** An engine. It answers one call at a time, on the thread that calls it. */
export interface Engine {
  /** Predicts the server's answer to the request of a scenario. */
  evaluate(scenario: Scenario): Verdict;
  /** Says what the server answers when the policies of a scenario are created. */
  check(scenario: Scenario): Diagnostic[];
  /** Applies the repairs that have one likely answer. */
  fix(scenario: Scenario): FixedAll;
  /** Lists what can be written at an offset, in UTF-8 bytes, of a text. */
  complete(scenario: Scenario, text: AnyText, offset: number): Completions;
  /** Says what is at an offset, in UTF-8 bytes, of a text. */
  hover(scenario: Scenario, text: AnyText, offset: number): Help | null;
  /** Makes any call of the page. It throws with the engine's message. */
  call<M extends keyof Calls>(method: M, params: Calls[M]["params"]): Calls[M]["result"];
}

/** What is loaded besides the engine. */
export interface LoadOptions {
  /**
   * The API server's own code for objects of built-in kinds, which prepares and validates them: 39 MB more. Without
   * it metadata and single fields are checked.
   */
  builtInKinds?: boolean;
}

/** The parts of the engine, the first one first, and what is loaded besides. */
export interface Parts {
  engine: [first: WebAssembly.Module, ...later: WebAssembly.Module[]];
  registry?: WebAssembly.Module | undefined;
}

/** Where an engine looks for the API server's own code: a function, or why it is not there. */
const shared = globalThis as { preadmitRegistry?: ((call: string) => string) | string };

/** The longest text of a scenario that notes are asked for, in bytes: as long as a text may be. */
const WHOLE = 4 << 20;

/** Starts an engine. Each has memory of its own, about 100 MB. */
export async function start({ engine: [first, ...later], registry }: Parts): Promise<Engine> {
  if (registry !== undefined && typeof shared.preadmitRegistry !== "function") {
    shared.preadmitRegistry = await startRegistry(registry);
  }
  shared.preadmitRegistry ??= "load({ builtInKinds: true }) loads the API server's code";
  const held = heldIn(first);
  if (held?.protocol !== PROTOCOL) throw new Error("preadmit: the parts of the package are of different versions");
  const go = newRuntime();
  // All parts are there before a call, so none is asked for in the middle of one.
  const instance = await WebAssembly.instantiate(first, { ...go.importObject, parts: { load: () => undefined } });
  for (const part of later) await WebAssembly.instantiate(part, { first: instance.exports });
  const { engine, ended } = resume(go, instance, held);
  ended.catch(() => undefined); // the call that stopped it has thrown
  return new Answers((request) => engine.call(request));
}

function newRuntime(): Loader {
  return new (globalThis as unknown as { Go: new () => GoRuntime }).Go() as Loader;
}

class Answers implements Engine {
  readonly #ask: (request: string) => string;

  constructor(ask: (request: string) => string) {
    this.#ask = ask;
  }

  call<M extends keyof Calls>(method: M, params: Calls[M]["params"]): Calls[M]["result"] {
    const reply = JSON.parse(this.#ask(JSON.stringify({ method, params }))) as {
      result?: Calls[M]["result"];
      error?: string;
    };
    if (reply.error !== undefined) throw new Error(`preadmit: ${reply.error}`);
    return reply.result as Calls[M]["result"];
  }

  evaluate(scenario: Scenario): Verdict {
    const params: EvaluateParams = { scenario, first: true };
    const { id, report } = this.call("evaluate", params);
    const texts: AnyText[] = ["policies", "request", "cluster", "expression"];
    const notes = this.call("notes", { id, in: texts.map((text) => ({ text, start: 0, end: WHOLE })) });
    const { code, message = "", mutated } = report.outcome;
    return {
      allowed: code >= 200 && code < 300,
      code,
      message,
      mutated,
      object: this.call("object", { id }).text,
      diagnostics: report.diagnostics,
      steps: notes.steps,
      report,
    };
  }

  check(scenario: Scenario): Diagnostic[] {
    const { request: _, ...alone } = scenario;
    return this.call("evaluate", { scenario: alone }).report.diagnostics.filter((d) => d.code !== "no-request");
  }

  fix(scenario: Scenario): FixedAll {
    return this.call("fixAll", { scenario });
  }

  complete(scenario: Scenario, text: AnyText, offset: number): Completions {
    return this.call("complete", { scenario, text, offset });
  }

  hover(scenario: Scenario, text: AnyText, offset: number): Help | null {
    return this.call("hover", { scenario, text, offset });
  }
}
