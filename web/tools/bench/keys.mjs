// From a key to what it brings about.

/** @typedef {import("playwright-core").Page} Page */

/**
 * From a key to a change of the result, by the page's clock, in milliseconds.
 * @param {Page} page
 * @param {string} key
 */
async function keyToResult(page, key) {
  // Listening has to begin before the key is pressed, or the time is that since
  // the page was opened.
  await page.evaluate(() => {
    const target = document.querySelector("#outcome");
    if (target === null) throw new Error("the page has no result");
    /** @type {any} */ (window).waited = new Promise((resolve) => {
      let from = 0;
      window.addEventListener("keydown", () => (from = performance.now()), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - from));
      });
      observer.observe(target, { childList: true, subtree: true, characterData: true });
    });
  });
  await page.keyboard.press(key);
  return Number(await page.evaluate(() => /** @type {any} */ (window).waited));
}

/**
 * Puts the cursor behind the number that is typed at.
 * @param {Page} page
 */
async function begin(page) {
  await page.locator("#tab-request").click();
  // Only the lines in sight are in the page, and after a paste those are the last.
  await page.locator("[data-editor=request] .cm-content").click();
  await page.keyboard.press("ControlOrMeta+Home");
  // The editor may scroll under the pointer, which then means another line.
  for (let tries = 0; tries < 5; tries++) {
    await page.locator("[data-editor=request] .cm-line", { hasText: "replicas: 8" }).click();
    await page.keyboard.press("End");
    const line = await page.locator("[data-editor=request] .cm-activeLine").first().textContent();
    if (line?.includes("replicas: 8") === true) return;
  }
  throw new Error("the cursor does not come to the line with the replicas");
}

/**
 * Types so many keys, each of which changes the result, or fewer when the time is over.
 * Their number is even: the text is as it was. Every other text is a new one, up to ten.
 * @param {Page} page
 * @param {number} keys
 * @param {number} pause between two of them, in milliseconds
 * @param {number} [limit] of the time, in milliseconds
 */
export async function type(page, keys, pause, limit = Infinity) {
  await begin(page);
  const times = [];
  const end = performance.now() + limit;
  for (let i = 0; i < keys && (performance.now() < end || i % 2 === 1); i++) {
    times.push(await keyToResult(page, i % 2 === 0 ? String((i / 2 + 8) % 10) : "Backspace"));
    if (pause > 0) await page.waitForTimeout(pause);
  }
  return times;
}

/**
 * Replaces the texts of a page, as a paste does.
 * @param {Page} page
 * @param {Record<string, string>} texts
 */
export async function paste(page, texts) {
  for (const [name, text] of Object.entries(texts)) {
    await page.locator(`#tab-${name}`).click();
    const content = page.locator(`[data-editor=${name}] .cm-content`);
    await content.click();
    await page.keyboard.press("ControlOrMeta+a");
    await content.evaluate((element, value) => {
      const data = new DataTransfer();
      data.setData("text/plain", value);
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
  }
}
