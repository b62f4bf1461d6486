// The colours of the static pages: those of the editors, in the same text.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { colour, colourPage } from "../../tools/colour.ts";

const POLICY = `kind: ValidatingAdmissionPolicy
spec:
  validations:
  - expression: `;

/** What the tests show: k(key) instead of a span. */
function short(html: string): string {
  return html.replace(/<span class="(\w+)">(.*?)<\/span>/g, "$1($2)");
}

test("keys, texts and comments of YAML", () => {
  assert.equal(short(colour("- replicas: 5 # x\n", "yaml")), "- k(replicas): t(5) c(# x)\n");
  assert.equal(short(colour("a: {b/c: '<'}", "yaml")), "k(a): {k(b/c): t(&#39;&lt;&#39;)}");
});

test("CEL where Kubernetes reads it, and nowhere else", () => {
  const lastLine = (text: string): string => short(colour(text, "yaml")).split("\n").at(-1) ?? "";
  assert.equal(lastLine(`${POLICY}size(object.x) <= 5`), "  - k(expression): f(size)(objecto(.)k(x)) o(&lt;=) n(5)");
  assert.equal(lastLine("kind: ConfigMap\ndata:\n  expression: a <= 5"), "  k(expression): t(a &lt;= 5)");
});

test("CEL alone", () => {
  assert.equal(
    short(colour("'a' in b.c && has(d.e)", "cel")),
    "t(&#39;a&#39;) o(in) bo(.)k(c) o(&amp;&amp;) f(has)(do(.)k(e))",
  );
});

test("an archive has the languages of its files", () => {
  assert.equal(
    short(colour("-- request.yaml --\na: 1\n-- expression.cel --\n1 + a.b\n", "txtar")),
    "c(-- request.yaml --)\nk(a): t(1)\nc(-- expression.cel --)\nn(1) o(+) ao(.)k(b)\n",
  );
});

test("only what names its language is coloured", () => {
  const page = (language: string): string => `<p>a: 1</p><pre class="yaml"${language}>a: &#34;1&#34;</pre>`;
  assert.equal(colourPage(page("")), page(""));
  assert.equal(
    short(colourPage(page(' data-language="yaml"'))),
    '<p>a: 1</p><pre class="yaml" data-language="yaml">k(a): t(&#34;1&#34;)</pre>',
  );
});

/** Files with an ending under a folder of the repository; the tests run in web. */
function files(folder: string, ending: string): string[] {
  const names = readdirSync(`../${folder}`, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => readFileSync(`../${folder}/${name}`, "utf8"));
}

test("colours never change what is read or copied", () => {
  const examples = [...files("examples", ".yaml"), ...files("examples", ".cel")];
  const docs = files("docs", ".md");
  assert.ok(examples.length > 100 && docs.length > 10, `${examples.length} and ${docs.length} files`);
  const escaped = (text: string): string =>
    text
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/"/g, "&#34;")
      .replace(/'/g, "&#39;");
  for (const text of [
    ...examples,
    ...docs,
    "a\r\nb: |\r\n  c\n\n",
    "\t- a:\u2028 b\r",
    "-- a.cel --",
    "-- a.cel --\r\n1",
  ]) {
    for (const language of ["yaml", "cel", "txtar"] as const) {
      assert.equal(colour(text, language).replace(/<span class="[ktnofc]+">|<\/span>/g, ""), escaped(text));
    }
  }
});
