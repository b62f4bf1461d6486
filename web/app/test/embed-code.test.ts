// The code of embedded examples, and the component for Docusaurus.

import assert from "node:assert/strict";
import { test } from "node:test";

// @ts-expect-error: JSX without types; the bundle of the tests gives it test/stubs in React's place.
import Preadmit from "../../embed-kits/docusaurus/src/components/Preadmit.jsx";
import { embedCode, excerpt, KINDS, playgroundOf, type Embedded } from "../embed-code.ts";
import type { Made } from "./stubs/react.ts";

const embedded: Embedded = {
  site: "https://preadmit.example/",
  source: { example: "first-look" },
  title: 'A "large" one',
  file: "policies",
  lines: "16-19",
  view: "",
  unfold: false,
  readonly: true,
  theme: "",
  height: 480,
  code: [
    { text: "expression", kind: "k" },
    { text: ": a <b & c\n", kind: "" },
  ],
  verdict: "Denied",
  message: 'at most *5* replicas, not <8> in "shop"',
  tone: "denied",
};

test("for every kind of page there are the code, the outcome and the link", () => {
  for (const { kind } of KINDS) {
    if (kind === "line") continue; // it has none of this without its script
    const code = embedCode(kind, embedded);
    assert.match(code, /a (<|&lt;)b (&|&amp;) c/, kind);
    assert.match(code, /Denied/, kind);
    assert.match(code, /8/, kind);
    // The kits make the link themselves, of the site and the example.
    assert.match(code, /preadmit\.example\/#example=first-look|example="first-look"/, kind);
  }
});

test("the HTML has its room and its colours before any script", () => {
  assert.match(
    embedCode("line", embedded),
    /^<script async src="https:\/\/preadmit\.example\/embed\.js" data-[^>]*data-file="\w+"[^>]*><\/script>\n$/,
  );
  const html = embedCode("html", embedded);
  assert.match(html, /^<script async src="https:\/\/preadmit\.example\/embed\.js"><\/script>$/m);
  assert.match(
    html,
    /<preadmit-example example="first-look" file="policies" lines="16-19" readonly height="480" title="A &quot;large&quot; one" style="[^"]*height:480px/,
  );
  assert.match(html, /<span style="color:light-dark\(#0e5a73,#8ccbe0\)">expression<\/span>/);
  assert.match(html, /<strong style="color:[^"]*">Denied<\/strong>: at most \*5\* replicas, not &lt;8&gt;/);
  assert.match(embedCode("html", { ...embedded, theme: "dark" }), /background:#14181a/);
});

test("what the server says is no markup in Markdown, and no end of a text elsewhere", () => {
  assert.match(
    embedCode("markdown", embedded),
    /^\*\*Denied\*\*: at most \\\*5\\\* replicas, not &#60;8&#62; in "shop"$/m,
  );
  assert.match(
    embedCode("hugo", embedded),
    /message="at most \*5\* replicas, not <8> in \\"shop\\"" tone="denied" >}}$/m,
  );
  assert.match(embedCode("docusaurus", embedded), /message=\{"at most \*5\* replicas, not <8> in \\"shop\\""\}/);
  assert.match(embedCode("mkdocs", embedded), /^<preadmit-example markdown="1" example="first-look"/);
  const fence = { ...embedded, code: [{ text: "# ```\n", kind: "c" }] } as const;
  assert.match(embedCode("markdown", fence), /^````yaml\n# ```\n````$/m);
});

test("a scenario of one's own is named by its link", () => {
  const own: Embedded = { ...embedded, source: { scenario: "#1/abc-_" } };
  assert.equal(playgroundOf(own), "https://preadmit.example/#1/abc-_");
  assert.match(embedCode("hugo", own), /scenario="#1\/abc-_"/);
});

test("of a long text the lines in focus are there, or its beginning", () => {
  const text = Array.from({ length: 100 }, (_, i) => `l${i + 1}`).join("\n");
  assert.equal(excerpt(text, [[50, 51]]), "# …\nl48\nl49\nl50\nl51\nl52\nl53\n# …\n");
  assert.match(excerpt(text, undefined), /^l1\n[^]*\nl40\n# …\n$/);
  assert.equal(excerpt("a\nb\n", undefined), "a\nb\n");
});

/** Elements as HTML, as far as the component needs it. */
function html(made: unknown): string {
  if (Array.isArray(made)) return made.map(html).join("");
  if (typeof made === "string") return made;
  if (typeof made !== "object" || made === null) return "";
  const { type, props, children } = made as Exclude<Made, string>;
  const list = Object.entries(props).map(
    ([n, v]) => ` ${n}="${typeof v === "object" ? JSON.stringify(v) : String(v)}"`,
  );
  return `<${String(type)}${list.join("")}>${html(children)}</${String(type)}>`;
}

test("the component for Docusaurus gives the element, the script and what is there without it", () => {
  const component = Preadmit as (props: Record<string, unknown>) => Made;
  const properties = { site: "https://preadmit.example/", example: "first-look", height: "300", readonly: true };
  const made = html(
    component({ ...properties, outcome: "Denied", message: "not 8", tone: "denied", children: "CODE" }),
  );
  assert.match(made, /<script async="true" src="https:\/\/preadmit\.example\/embed\.js">/);
  assert.match(made, /<preadmit-example example="first-look" readonly="" height="300" style="[^>]*"height":"300px"/);
  assert.match(made, /CODE[^]*Denied<\/strong>: not 8 <a href="https:\/\/preadmit\.example\/#example=first-look">/);
  assert.match(
    html(component({ ...properties, example: undefined, scenario: "#1/a" })),
    /href="https:\/\/preadmit\.example\/#1\/a"/,
  );
  assert.throws(() => component({ example: "first-look" }), /no site/);
  assert.throws(() => component({ site: "https://preadmit.example/" }), /an example or a scenario/);
});
