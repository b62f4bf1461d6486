// Links, the history, files: nothing that the user wrote gets lost.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { gzipSync, strFromU8, unzipSync, zipSync, strToU8 } from "fflate";

import { accessible, firstOf, linkOf, openExample, openShare, paste, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

/** @typedef {import("playwright-core").Page} Page */

const six = ".expression-card .becomes .value";

/**
 * Drops files on the page.
 * @param {Page} page
 * @param {Record<string, string | number[]>} files
 */
async function drop(page, files) {
  await page.evaluate((given) => {
    const data = new DataTransfer();
    for (const [name, content] of Object.entries(given)) {
      data.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], name));
    }
    document
      .querySelector("#panel-request")
      ?.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
}

/**
 * Opens a folder with the menu, which gives files their paths.
 * @param {import("playwright-core").Page} page @param {Record<string, string>} files
 */
async function give(page, files) {
  await page.locator("#open-folder").evaluate((chooser, given) => {
    const data = new DataTransfer();
    for (const [path, text] of Object.entries(given)) {
      const file = new File([text], path.slice(path.lastIndexOf("/") + 1));
      Object.defineProperty(file, "webkitRelativePath", { value: path });
      data.items.add(file);
    }
    Object.defineProperty(chooser, "files", { value: Object.assign([...data.files]), configurable: true });
    chooser.dispatchEvent(new Event("change"));
  }, files);
}

test("the first change of an example begins a new entry: back shows the example, forward the change", async () => {
  const { page, done } = await site.open("/#example=reinvocation");
  await ready(page);
  await page.locator("#view-steps", { hasText: "inject.mesh.example.com" }).waitFor();
  await paste(page, "expression", "2 * 3");
  await page.locator(six, { hasText: "6" }).waitFor();
  await page.waitForFunction(() => location.hash === "");
  await page.goBack();
  await page.locator(six).first().waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).hash, "#example=reinvocation");
  await page.goForward();
  await page.locator(six, { hasText: "6" }).waitFor();
  // A change that is followed at once by another example is in the history too.
  await tab(page, "expression");
  await page.locator("[data-editor=expression] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" * 7");
  await openExample(page, "deny a label");
  await page.locator(six).first().waitFor({ state: "detached" });
  await page.goBack();
  await page.locator(six, { hasText: "42" }).waitFor();
  await done();
});

test("opening a link, even a damaged one, takes no earlier work's place", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "2 * 3");
  await page.locator(six, { hasText: "6" }).waitFor();
  await page.waitForFunction(() => (localStorage.getItem("preadmit.kept") ?? "").includes("2 * 3"));
  const notices = {
    "#1/OumhasKqlIG2rfcCBWWF": "This link is damaged",
    "#2/abc": "made by a newer Preadmit",
    "#example=reinvocation": "Your earlier text is kept",
  };
  for (const [hash, message] of Object.entries(notices)) {
    const other = await page.context().newPage();
    await other.goto(`${site.origin}/${hash}`);
    await other.locator("#notice, #link-damaged", { hasText: message }).waitFor();
    await ready(other);
    await other.close();
  }
  const again = await page.context().newPage();
  await again.goto(`${site.origin}/`);
  await again.locator(six, { hasText: "6" }).waitFor();
  await done();
});

test("the dialog shows the length, warns, and offers ways out that work", async () => {
  const { page, done } = await site.open("/", {
    permissions: ["clipboard-read", "clipboard-write"],
    acceptDownloads: true,
  });
  await ready(page);
  // What cannot be packed tighter, the same in each run.
  const random = Array.from(
    { length: 200 },
    (_, i) => `  key${i}: ${createHash("sha256").update(String(i)).digest("base64url")}`,
  );
  /** @param {number} count */
  const request = (count) =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nstringData:\n  password: hunter2hunter2\n${random.slice(0, count).join("\n")}\n`;
  const warning = page.locator("#share-warning");
  for (const [count, warned] of /** @type {const} */ ([
    [1, ""],
    [40, "Some chats cut"],
  ])) {
    await paste(page, "request", request(count));
    await openShare(page);
    assert.match((await page.locator("#share-length").textContent()) ?? "", /^[\d,]+ characters\.$/);
    assert.ok(
      ((await warning.textContent()) ?? "").startsWith(warned),
      (await page.locator("#share-length").textContent()) ?? "",
    );
    await page.keyboard.press("Escape");
  }
  await paste(page, "cluster", `${random.map((line) => `#${line}`).join("\n")}\n`);
  await openShare(page);
  assert.match((await warning.textContent()) ?? "", /^Most chats/);
  assert.ok(await page.locator("#share-secret").isVisible());
  await page.locator("#share-markdown").click();
  await page.locator("#notice", { hasText: "Copied as Markdown" }).waitFor();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(markdown, /\*\*request\.yaml\*\*\n\n```yaml\napiVersion: v1\nkind: Secret/);
  assert.doesNotMatch(markdown, /#1\//, "no link that would be cut");

  const [zip] = await Promise.all([page.waitForEvent("download"), page.locator("#share-zip").click()]);
  const bytes = await readFile(await zip.path());
  const entries = unzipSync(bytes);
  const name = Object.keys(entries).find((n) => n.endsWith("/request.yaml"));
  assert.ok(name !== undefined && strFromU8(entries[name] ?? new Uint8Array()) === request(40));
  const [txtar] = await Promise.all([page.waitForEvent("download"), page.locator("#share-txtar").click()]);
  const archive = await readFile(await txtar.path(), "utf8");
  assert.match(archive, /^-- request\.yaml --$/m);
  const [md] = await Promise.all([page.waitForEvent("download"), page.locator("#share-md").click()]);
  assert.match(md.suggestedFilename(), /\.md$/);
  assert.match(await readFile(await md.path(), "utf8"), /^\*\*request\.yaml\*\*$/m);

  // The picture says what it shows, and carries the link with it.
  await page.locator("#tab-share-picture").click();
  const picture = page.locator("#share-picture img[alt*='Request']");
  await picture.waitFor();
  const [png] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download .png" }).click(),
  ]);
  const inside = await readFile(await png.path(), "utf8");
  assert.ok(inside.includes(`Source\0\0\0\0\0${await page.locator("#share-link").inputValue()}`), "the link is in it");
  assert.ok(inside.includes((await picture.getAttribute("alt")) ?? "no text"), "so is its text alternative");
  // As a drawing it leads to the scenario.
  const drawing = decodeURIComponent(((await picture.getAttribute("src")) ?? "").replace(/^[^,]*,/, ""));
  const drawn = await page.context().newPage();
  await drawn.setContent(drawing);
  await drawn.locator("svg a").click();
  await drawn.waitForURL(await page.locator("#share-link").inputValue(), { waitUntil: "commit" });
  await drawn.close();
  await page.locator("#tab-share-link-panel").click();

  // Without the values, and with them again.
  const hint = page.locator("#share-secret-text");
  const remove = page.locator("#share-secret-remove");
  await hint.filter({ hasText: "a value of Secret c is in the request, line 5, and 40 more." }).waitFor();
  const whole = await page.locator("#share-link").inputValue();
  await remove.click();
  await hint.filter({ hasText: "41 values have a placeholder now." }).waitFor();
  const without = await page.locator("#share-link").inputValue();
  assert.ok(without.length < whole.length, `${whole.length} and then ${without.length} characters`);
  assert.match(await page.evaluate(() => location.href), /#1\//);
  await page.locator("#share-markdown").click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes("  password: REMOVED\n"));
  assert.doesNotMatch(await page.evaluate(() => navigator.clipboard.readText()), /hunter2/);
  await remove.filter({ hasText: "Undo" }).click();
  await hint.filter({ hasText: "and 40 more" }).waitFor();
  assert.equal(await page.locator("#share-link").inputValue(), whole);
  await page.keyboard.press("Escape");

  // Both come back the same way.
  const link = await linkOf(page);
  for (const files of /** @type {Record<string, string | number[]>[]} */ ([
    { "scenario.zip": [...bytes] },
    { "a-deployment.txtar": archive },
  ])) {
    await paste(page, "expression", "1");
    await page.locator(six, { hasText: "1" }).waitFor(); // it goes when the files have come
    await drop(page, files);
    await page.locator(six).first().waitFor({ state: "detached" });
    assert.ok((await linkOf(page)) === link, "the same scenario");
  }
  await done();
});

test("manifests go to the texts where they belong; what is no text is reported", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await drop(page, {
    "pod.yaml":
      "apiVersion: v1\nkind: Pod\nmetadata: {name: dropped, namespace: shop}\nspec: {containers: [{name: a, image: a}]}\n",
    "ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {tier: dropped}}\n",
    "README.md": "# no manifest",
  });
  await page.locator("#view-steps .request", { hasText: "shop/dropped" }).waitFor();
  await tab(page, "cluster");
  await page.locator("[data-editor=cluster] .cm-line", { hasText: "tier: dropped" }).waitFor();
  await tab(page, "policies");
  await page.locator("[data-editor=policies] .cm-placeholder").waitFor(); // they took the place of the example
  // The menu opens files as well, for who cannot drag.
  await page.locator("#new-menu > summary").click();
  await page.locator("#open-files").setInputFiles({
    name: "other.yaml",
    mimeType: "",
    buffer: Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: chosen, namespace: shop}\n"),
  });
  await page.locator("#view-steps .request", { hasText: "shop/chosen" }).waitFor();
  assert.equal(await page.locator("#new-menu[open]").count(), 0);
  await drop(page, { "picture.yaml": [0xff, 0xfe, 0x00, 0x81] });
  await page.locator("#notice", { hasText: "picture.yaml is not a text" }).waitFor();
  await drop(page, { "x.zip": [...zipSync({ "x.png": strToU8("x") })] });
  await page.locator("#notice", { hasText: "None of these is a YAML" }).waitFor();
  await page.goBack();
  await page.locator("#view-steps .request", { hasText: "shop/dropped" }).waitFor();
  await page.goBack();
  await page.locator("#view-steps .request", { hasText: "shop/web" }).waitFor();
  await done();
});

test("files are read compressed, in folders and of one name, and an empty one takes nothing away", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const notice = page.locator("#notice");
  const pod = (/** @type {string} */ name) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop}\nspec: {containers: [{name: a, image: a}]}\n`;
  await drop(page, { "empty.yaml": "" });
  await notice.filter({ hasText: "These files are empty" }).waitFor();
  await page.locator("#view-steps .request", { hasText: "shop/web" }).waitFor();
  await drop(page, { "pod.yaml.gz": [...gzipSync(strToU8(pod("compressed")))] });
  await page.locator("#view-steps .request", { hasText: "shop/compressed" }).waitFor();
  await drop(page, { "bomb.yaml.gz": [...gzipSync(new Uint8Array(5 << 20))] });
  await notice.filter({ hasText: "bomb.yaml.gz is too large" }).waitFor();
  await drop(page, { "cut.yaml.gz": [0x1f, 0x8b, 8, 0, 1] });
  await notice.filter({ hasText: "cut.yaml.gz is not a readable gzip file" }).waitFor();
  // Of a folder none is lost for having the name of another.
  await give(page, { "all/a/pod.yaml": pod("first"), "all/b/pod.yaml": pod("second") });
  await notice.filter({ hasText: "2 of 2: Pod/second" }).waitFor();
  await give(page, {
    "all/policies.yaml": "# none",
    "all/request.yaml": pod("outer"),
    "all/b/request.yaml": pod("inner"),
  });
  await notice.filter({ hasText: "b/request.yaml is not read" }).waitFor();
  await page.locator("#view-steps .request", { hasText: "shop/outer" }).waitFor();
  await done();
});

test("of a link that was cut, what can be read is offered in the place of the verdict", async () => {
  for (const [width, colorScheme] of firstOf(
    /** @type {const} */ ([
      [390, "dark"],
      [1440, "light"],
    ]),
  )) {
    const { page, done } = await site.open("/", { viewport: { width, height: 900 }, colorScheme });
    await ready(page);
    const { hash } = new URL(await linkOf(page));
    const cut = await page.context().newPage();
    await cut.goto(`${site.origin}/${hash.slice(0, Math.floor(hash.length * 0.8))}`);
    const card = cut.locator("#link-damaged");
    await card.filter({ hasText: /beginning of it can be read: policies/ }).waitFor();
    await ready(cut);
    assert.ok(!(await cut.locator("#outcome").isVisible()), "no verdict on nothing");
    if (process.env["SHOTS"]) await cut.screenshot({ path: `${process.env["SHOTS"]}/damaged-${width}.png` });
    await cut.waitForFunction(() => document.title === "Damaged link – Preadmit");
    await accessible(cut);
    await card.getByRole("button", { name: "Open the readable part" }).click();
    await card.first().waitFor({ state: "detached" });
    await cut.locator("[data-editor=policies] .cm-line", { hasText: "ValidatingAdmissionPolicy" }).first().waitFor();
    await cut.locator("#outcome .verdict").waitFor();
    await cut.locator("#notice p", { hasText: "the readable part of a damaged link" }).waitFor();
    await cut.close();
    await done();
  }
});

for (const width of firstOf([1000, 1440])) {
  test(`a link may open where its maker was, at ${width} px`, async () => {
    const viewport = { width, height: 800 };
    const { page, done } = await site.open("/", { viewport });
    await ready(page);
    await tab(page, "request");
    await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+End");
    await tab(page, "diff");
    const plain = await linkOf(page);
    await openShare(page);
    await page.getByLabel("Include my open tabs and selection").check();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/share.png` });
    const link = await page.locator("#share-link").inputValue();
    assert.ok(link.length > plain.length && link.length < plain.length + 60, `${link.length}, was ${plain.length}`);
    await done();
    const other = await site.open(new URL(link).pathname + new URL(link).hash, {
      viewport,
    });
    await ready(other.page);
    assert.equal(await other.page.locator("#panel-request.is-selected").count(), 1);
    assert.equal(await other.page.locator("#tab-diff").getAttribute("aria-selected"), "true");
    await other.page.locator("[data-editor=request] .cm-selectionBackground").first().waitFor();
    await other.page.keyboard.type("replicas: 2"); // what is selected is replaced
    await other.page.locator("#outcome", { hasText: "Admitted, mutated" }).waitFor();
    await other.done();
  });
}
