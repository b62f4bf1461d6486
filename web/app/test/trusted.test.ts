// What the page takes as HTML and as scripts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { trustedHTML, trustedPage, trustedScript } from "../trusted.ts";

Object.assign(globalThis, { location: { href: "https://preadmit.example/docs/", origin: "https://preadmit.example" } });

test("the components' HTML is taken, elements that they do not have are not", () => {
  const html = '<p title="&lt;script">a &lt;script> <a href="#x">b</a></p>';
  assert.equal(trustedHTML(html), html);
  for (const bad of ["<script>a</script>", "<p><IFRAME src=x>", "<object>", "<form >", "<base href=x>", "<style>"])
    assert.throws(() => trustedHTML(bad), TypeError, bad);
});

test("scripts are those of this site", () => {
  assert.equal(trustedScript("/assets/worker.js"), "/assets/worker.js");
  for (const bad of [
    "https://elsewhere.example/a.js",
    "//elsewhere.example/a.js",
    "data:text/javascript,1",
    "blob:null/1",
  ])
    assert.throws(() => trustedScript(bad), TypeError, bad);
});

test("a page of this site may be read", () => {
  assert.equal(trustedPage("<script></script>"), "<script></script>");
});
