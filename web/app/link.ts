// Permalinks, read and made. Loaded when it is first needed. The format is described in engine/scenario/link.go, which has the
// other half of this codec; both are tested on the same vectors. It is here as
// well so that a link opens before the engine is loaded.

import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

import dictionaryText from "../../engine/scenario/dictionary-1.txt";
import type { Seen } from "./permalink.ts";
import { VERSIONS, type Scenario } from "./protocol.ts";
import { isScenario } from "./schema.ts";
import { textNamed, type TextName } from "./texts.ts";

/** What a link may inflate to, in bytes. Links come from strangers. */
const MAX_CONTENT = 1 << 20;

const dictionary = strToU8(dictionaryText);

/** The settings in the order in which links hold them. */
const SETTINGS = [
  "title",
  "description",
  "tags",
  "kubernetes",
  "expressionContext",
  "now",
  "beforeValidation",
  "options",
] as const;

export type LinkErrorCode = "link-unknown" | "link-newer" | "link-damaged" | "link-too-large" | "link-content";

/** Why a link cannot be read or made; the message is a sentence for the reader. */
export class LinkError extends Error {
  readonly code: LinkErrorCode;

  constructor(code: LinkErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Writes a scenario as the fragment of an address. Where the reader is comes behind
 * the end of what is compressed, where readers that do not know of it look at
 * nothing: the words, their length in a byte, and their checksum.
 */
export function encodeLink(scenario: Scenario, seen?: Seen): string {
  const texts = [scenario.policies, scenario.request, scenario.cluster, scenario.expression].map((t) => t ?? "");
  if (texts.some((t) => /\0|\p{Surrogate}/u.test(t))) {
    throw new LinkError("link-content", "A link cannot carry binary data.");
  }
  const content = strToU8([settings(scenario), ...texts].join("\0").replace(/\0+$/, ""));
  if (content.length > MAX_CONTENT) {
    throw new LinkError(
      "link-too-large",
      `The scenario has ${content.length} bytes; a link carries ${MAX_CONTENT} at most. Send the files instead.`,
    );
  }
  const packed = deflateSync(content, { level: 9, mem: 9, dictionary });
  const words = seen === undefined ? undefined : strToU8(seenWords(seen));
  const bytes = new Uint8Array(4 + packed.length + (words === undefined ? 0 : words.length + 5));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, crc32(content));
  bytes.set(packed, 4);
  if (words !== undefined) {
    bytes.set(words, 4 + packed.length);
    view.setUint8(bytes.length - 5, words.length);
    view.setUint32(bytes.length - 4, crc32(words));
  }
  return `#1/${toBase64(bytes)}`;
}

function settings(scenario: Scenario): string {
  const out: Record<string, unknown> = {};
  for (const key of SETTINGS) {
    const value = scenario[key];
    const empty = value === undefined || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
    if (!empty) out[key] = value;
  }
  out["kubernetes"] ??= VERSIONS[0];
  return JSON.stringify(inOrder(out));
}

/** The keys in the order of SETTINGS, so that a scenario has one link. */
function inOrder(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.filter((key) => key in values).map((key) => [key, values[key]]));
}

/** Reads a fragment, or a whole address. Throws a LinkError. */
export function decodeLink(link: string): Scenario {
  const fragment = link.slice(link.indexOf("#") + 1).replace(/\s/g, "");
  if (fragment.length > 2 * MAX_CONTENT) throw tooLarge();
  const [, version, payload] = /^(\d+)\/(.*)$/.exec(fragment) ?? [];
  if (version === undefined || payload === undefined) {
    throw new LinkError("link-unknown", "This is not a link to a scenario: it must have #1/ and then the scenario.");
  }
  if (version !== "1") {
    throw new LinkError(
      "link-newer",
      `This link is of version ${version}, made by a newer Preadmit; this one reads version 1. Reload the page.`,
    );
  }
  return fromContent(inflate(payload));
}

function seenWords({ text, start, end, view }: Seen): string {
  return [text, start, end, view].join(" ");
}

/** Where the reader was who made a link; undefined when the link does not say, or says nothing that can be. */
export function seenIn(link: string): Seen | undefined {
  const payload = /^#1\/([A-Za-z0-9_-]+)$/.exec(link)?.[1];
  if (payload === undefined || payload.length % 4 === 1 || payload.length > 2 * MAX_CONTENT) return undefined;
  const bytes = fromBase64(payload);
  if (bytes.length < 10) return undefined;
  const data = new DataView(bytes.buffer);
  const length = data.getUint8(bytes.length - 5);
  const from = bytes.length - 5 - length;
  if (from < 4) return undefined;
  const words = bytes.subarray(from, bytes.length - 5);
  if (crc32(words) !== data.getUint32(bytes.length - 4)) return undefined;
  const [, name, start, end, view] = /^([a-z]+) (\d{1,7}) (\d{1,7}) ([a-z]+)$/.exec(strFromU8(words)) ?? [];
  const text = textNamed(name);
  if (text === undefined || view === undefined || Number(start) > Number(end)) return undefined;
  return { text, start: Number(start), end: Number(end), view };
}

/** What can be read of a damaged link. */
export interface Salvaged {
  scenario: Scenario;
  /** The text in which the link ends, if the rest is missing. */
  cut?: TextName;
}

/**
 * Reads the beginning of a damaged link, as far as it goes. Nothing says that it is
 * right: the checksum is of the whole. Undefined when there is no text in it.
 */
export function salvageLink(link: string): Salvaged | undefined {
  const fragment = link.slice(link.indexOf("#") + 1).replace(/\s/g, "");
  const payload = /^1\/([A-Za-z0-9_-]*)/.exec(fragment)?.[1] ?? "";
  if (fragment.length > 2 * MAX_CONTENT) return undefined;
  const whole = payload.length - (payload.length % 4 === 1 ? 1 : 0);
  const content = beginningOf(fromBase64(payload.slice(0, whole)).subarray(4));
  const [settingsText = "", ...texts] = content.split("\0");
  const scenario: Scenario = {};
  const order = ["policies", "request", "cluster", "expression"] as const;
  for (const [i, name] of order.entries()) if (texts[i]) scenario[name] = texts[i];
  if (Object.keys(scenario).length === 0) return undefined;
  try {
    Object.assign(scenario, readSettings(settingsText), scenario);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error; // without its settings, then
  }
  const last = order[Math.min(texts.length, order.length) - 1];
  return last === undefined ? { scenario } : { scenario, cut: last };
}

/** Inflates what can be inflated. */
function beginningOf(data: Uint8Array): string {
  let text = "";
  let size = 0;
  const decoder = new TextDecoder();
  const stream = new Inflate({ dictionary }, (chunk) => {
    size += chunk.length;
    if (size <= MAX_CONTENT) text += decoder.decode(chunk, { stream: true });
  });
  try {
    for (let i = 0; i < data.length && size <= MAX_CONTENT; i += 16) stream.push(data.subarray(i, i + 16));
  } catch {
    // From here on it is damaged: what came before is all there is.
  }
  return text;
}

function inflate(payload: string): string {
  const data = fromBase64(payload);
  if (data.length < 4) throw damaged();
  const content = inflateWithin(data.subarray(4), MAX_CONTENT);
  if (crc32(content) !== new DataView(data.buffer).getUint32(0)) throw damaged();
  return strFromU8(content);
}

/** Inflates at most limit bytes; more is refused before it is held in memory. */
function inflateWithin(data: Uint8Array, limit: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate({ dictionary }, (chunk) => {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  });
  try {
    // Small pieces, so that a bomb is noticed early.
    for (let i = 0; i < data.length; i += 4096) stream.push(data.subarray(i, i + 4096), i + 4096 >= data.length);
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw damaged();
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

function fromContent(content: string): Scenario {
  const [settingsText, policies, request, cluster, expression, ...more] = content.split("\0");
  if (more.length > 0) throw damaged();
  const scenario: Scenario = { ...readSettings(settingsText ?? "") };
  const texts = { policies, request, cluster, expression };
  for (const name of ["policies", "request", "cluster", "expression"] as const) {
    if (texts[name]) scenario[name] = texts[name];
  }
  return scenario;
}

function readSettings(text: string): Scenario {
  let value: unknown;
  try {
    value = JSON.parse(text === "" ? "{}" : text);
  } catch {
    throw damaged();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw damaged();
  const known: readonly string[] = SETTINGS;
  const strange = Object.keys(value).find((key) => !known.includes(key));
  if (strange !== undefined) {
    throw new LinkError(
      "link-newer",
      `This link uses a setting that this Preadmit does not know (${strange}). Reload the page.`,
    );
  }
  if (!isScenario(value)) throw damaged();
  const read: Scenario = value;
  if (read.kubernetes !== undefined && !VERSIONS.includes(read.kubernetes)) {
    throw new LinkError(
      "link-newer",
      `This link is for Kubernetes ${read.kubernetes}, which this Preadmit does not know. Reload the page.`,
    );
  }
  return read;
}

function damaged(): LinkError {
  return new LinkError(
    "link-damaged",
    "This link is damaged: part of it is missing or changed. Programs often cut long links; copy it again from its source, or ask for the files.",
  );
}

function tooLarge(): LinkError {
  return new LinkError(
    "link-too-large",
    `This link holds more than ${MAX_CONTENT} bytes of text. Ask for the files instead.`,
  );
}

/** base64url without padding (RFC 4648 §5). */
function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // In pieces: spreading a large array into arguments overflows the stack.
  for (let i = 0; i < bytes.length; i += 0x2000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x2000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) throw damaged();
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32 (IEEE 802.3). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
