// The tab of the Share dialog that makes an embedded example: how it will look, and the
// code for pages of several kinds. Loaded when it is first opened.

import { highlightCode, tagHighlighter } from "@lezer/highlight";
import { celLanguage, yamlWithCelLanguage } from "@preadmit/lang-cel";

import "../embed.ts";
import { copy } from "../dom.ts";
import { button, make } from "../elements.ts";
import { lineRanges } from "../embed-attributes.ts";
import {
  element,
  embedCode,
  excerpt,
  KINDS,
  type Coloured,
  type Embedded,
  type EmbedKind,
  type Piece,
  type Tone,
} from "../embed-code.ts";
import { confirmation, notice } from "../notice.ts";
import type { Scenario } from "../protocol.ts";
import { SYNTAX, type SyntaxGroup } from "../syntax.ts";
import { TEXTS, textNamed, type TextName } from "../texts.ts";

/** What the panel shows the embedding of. */
export interface Shared {
  scenario: Scenario;
  /** The example of the site that it is, if it is one as it came. */
  example: string | undefined;
  /** The part of the link from the # on; undefined where there is no link. */
  fragment: string | undefined;
  verdict: string;
  message: string;
  tone: Tone;
}

/** What a page of the kind needs once, in words, and the file of the kit. */
const ONCE: Readonly<Record<EmbedKind, { words: string; file?: string; name?: string }>> = {
  line: { words: "Paste it into the page, where the example belongs." },
  html: { words: "Paste it into the page. The script is the same for all examples of a page." },
  hugo: {
    words: "Once: save this shortcode as layouts/shortcodes/preadmit.html.",
    file: "/embed-kits/hugo.txt",
    name: "preadmit.html",
  },
  docusaurus: {
    words: "Once: save this component as src/components/Preadmit.jsx.",
    file: "/embed-kits/docusaurus.txt",
    name: "Preadmit.jsx",
  },
  mkdocs: {
    words: "Once: save this hook beside mkdocs.yml, and name it there under hooks.",
    file: "/embed-kits/mkdocs.txt",
    name: "preadmit.py",
  },
  markdown: { words: "For pages that run no scripts, such as GitHub: the code, the outcome and a link." },
};

const LETTERS: Readonly<Record<SyntaxGroup, Coloured["kind"]>> = {
  key: "k",
  text: "t",
  number: "n",
  operator: "o",
  function: "f",
  comment: "c",
};

const groups = tagHighlighter(
  (Object.keys(SYNTAX) as SyntaxGroup[]).flatMap((group) => SYNTAX[group].map((tag) => ({ tag, class: group }))),
);

/** A text in pieces of one colour each. */
function colours(text: string, file: TextName): Coloured[] {
  const { parser } = file === "expression" ? celLanguage : yamlWithCelLanguage;
  const out: Coloured[] = [];
  highlightCode(
    text,
    parser.parse(text),
    groups,
    (code, classes) => out.push({ text: code, kind: LETTERS[classes.split(" ")[0] as SyntaxGroup] ?? "" }),
    () => out.push({ text: "\n", kind: "" }),
  );
  return out;
}

/** A piece as an element. The styles come by script, which the policy of the page allows. */
function toElement(piece: Piece): HTMLElement {
  const node = document.createElement(piece.tag);
  for (const [name, value] of Object.entries(piece.attributes)) {
    if (name === "style") node.style.cssText = value;
    else node.setAttribute(name, value);
  }
  node.append(...piece.children.map((c) => (typeof c === "string" ? c : toElement(c))));
  return node;
}

type Choice = readonly (readonly [value: string, name: string])[];

function select(label: string, choice: Choice, changed: () => void): [HTMLLabelElement, HTMLSelectElement] {
  const field = make("select", {}, ...choice.map(([value, name]) => option(value, name)));
  field.addEventListener("change", changed);
  return [make("label", { class: "field" }, make("span", { text: label }), field), field];
}

function option(value: string, name: string): HTMLOptionElement {
  const made = make("option", { text: name });
  made.value = value;
  return made;
}

function input(label: string, type: string, value: string, changed: () => void): [HTMLLabelElement, HTMLInputElement] {
  const field = make("input", { attributes: { type, value, autocomplete: "off" } });
  field.addEventListener("input", changed);
  return [make("label", { class: "field" }, make("span", { text: label }), field), field];
}

function check(label: string, changed: () => void): [HTMLLabelElement, HTMLInputElement] {
  const field = make("input", { attributes: { type: "checkbox" } });
  field.addEventListener("change", changed);
  return [make("label", { class: "check" }, field, ` ${label}`), field];
}

export class EmbedPanel {
  readonly #file: HTMLSelectElement;
  readonly #lines: HTMLInputElement;
  readonly #view: HTMLSelectElement;
  readonly #theme: HTMLSelectElement;
  readonly #height: HTMLInputElement;
  readonly #unfold: HTMLInputElement;
  readonly #readonly: HTMLInputElement;
  readonly #kind: HTMLSelectElement;
  readonly #preview = make("div", {
    class: "embed-preview",
    role: "region",
    attributes: { "aria-label": "Preview of the embedded example" },
  });
  readonly #code = make("textarea", {
    id: "embed-code",
    class: "code",
    attributes: { readonly: "", rows: "7", "aria-label": "Code of the embedded example", spellcheck: "false" },
  });
  readonly #once = make("p", { class: "muted embed-once" });
  readonly #hint = make("p", { class: "secret-hint", role: "status" });
  #shared: Shared | undefined;

  constructor(panel: HTMLElement) {
    const changed = (): void => this.#show();
    const [file, fileField] = select("Shows", [], changed);
    const [lines, linesField] = input("Highlight lines", "text", "", changed);
    linesField.placeholder = "all, or 16-19";
    const [view, viewField] = select(
      "Result",
      [
        ["", "outcome, the rest folded"],
        ["steps", "steps"],
        ["object", "object"],
        ["diff", "diff"],
        ["answer", "answer"],
      ],
      changed,
    );
    const [theme, themeField] = select(
      "Theme",
      [
        ["", "match the reader's"],
        ["light", "light"],
        ["dark", "dark"],
      ],
      changed,
    );
    const [height, heightField] = input("Height", "number", "480", changed);
    Object.assign(heightField, { min: "240", max: "1200", step: "20" });
    const [unfold, unfoldField] = check("Show the values of parts", changed);
    const [still, stillField] = check("Read only", changed);
    const [kind, kindField] = select(
      "Code for",
      KINDS.map((k) => [k.kind, k.name] as const),
      changed,
    );
    [this.#file, this.#lines, this.#view, this.#theme] = [fileField, linesField, viewField, themeField];
    [this.#height, this.#unfold, this.#readonly, this.#kind] = [heightField, unfoldField, stillField, kindField];
    fileField.addEventListener("change", () => (linesField.value = ""), { capture: true });
    panel.replaceChildren(
      make("div", { class: "embed-choices" }, file, lines, view, theme, height, unfold, still),
      this.#hint,
      this.#preview,
      make(
        "div",
        { class: "embed-choices" },
        kind,
        button("Copy code", () => void this.#copy(), "primary"),
      ),
      this.#code,
      this.#once,
    );
  }

  /** Shows what is shared now; the reader's choices stay. */
  show(shared: Shared): void {
    const before = this.#file.value;
    this.#shared = shared;
    const there = TEXTS.filter((text) => shared.scenario[text]);
    this.#file.replaceChildren(...there.map((text) => option(text, text)));
    const kept = there.find((text) => text === before);
    this.#file.value = kept ?? there[0] ?? "";
    this.#show();
  }

  async #copy(): Promise<void> {
    if (await copy(this.#code.value)) return confirmation("Code copied.");
    this.#code.select();
    notice("The browser does not allow copying. The code is selected: copy it by hand.");
  }

  /** What was chosen; undefined where there is nothing to embed. */
  get #embedded(): Embedded | undefined {
    const shared = this.#shared;
    const file = textNamed(this.#file.value);
    if (shared === undefined || file === undefined) return undefined;
    const { example, fragment } = shared;
    const source = example !== undefined ? { example } : fragment !== undefined ? { scenario: fragment } : undefined;
    if (source === undefined) return undefined;
    const ranges = lineRanges(this.#lines.value);
    const height = Math.round(Number(this.#height.value));
    return {
      site: new URL("/", location.href).href,
      source,
      title: shared.scenario.title || "Kubernetes admission, evaluated",
      file,
      lines: ranges === undefined ? "" : this.#lines.value.replaceAll(/\s/g, ""),
      view: this.#view.value,
      unfold: this.#unfold.checked,
      readonly: this.#readonly.checked,
      theme: this.#theme.value,
      height: height >= 240 && height <= 1200 ? height : 480,
      code: colours(excerpt(shared.scenario[file] ?? "", ranges), file),
      verdict: shared.verdict,
      message: shared.message,
      tone: shared.tone,
    };
  }

  #show(): void {
    const embedded = this.#embedded;
    const kind = KINDS.find((k) => k.kind === this.#kind.value)?.kind ?? "html";
    const wrong = this.#lines.value !== "" && lineRanges(this.#lines.value) === undefined;
    this.#hint.textContent =
      embedded === undefined
        ? "Nothing to embed yet, or it is too large for a link."
        : wrong
          ? "Lines are numbers such as 12, 12-14 or 3-5,12."
          : "";
    this.#hint.hidden = this.#hint.textContent === "";
    if (embedded === undefined) {
      this.#preview.replaceChildren();
      this.#code.value = "";
      return;
    }
    this.#code.value = embedCode(kind, embedded);
    this.#preview.replaceChildren(kind === "markdown" ? fallback(embedded) : toElement(element(embedded)));
    const { words, file, name = "" } = ONCE[kind];
    this.#once.replaceChildren(words);
    if (file !== undefined) {
      this.#once.append(" ", make("a", { text: `Download ${name}`, attributes: { href: file, download: name } }));
    }
  }
}

/** What is there where no script runs: the element without its name, so that nothing makes it live. */
function fallback(embedded: Embedded): HTMLElement {
  const { attributes: _, ...piece } = element(embedded);
  return toElement({ ...piece, tag: "div", attributes: {} });
}
