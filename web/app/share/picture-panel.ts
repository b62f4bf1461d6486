// The tab of the Share dialog that gives the result as a picture: the verdict, the path of
// the request and the expression, with the link in it. The engine draws it; here it becomes
// a PNG. Loaded when it is first opened.

import { copy, download } from "../dom.ts";
import { button, make } from "../elements.ts";
import { fileName } from "../files.ts";
import { confirmation, notice } from "../notice.ts";
import type { Picture, PictureParams } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import { withTexts } from "./png-text.ts";

/** The size of the PNG, twice that of the drawing. */
const WIDTH = 2400;
const HEIGHT = 1260;

export class PicturePanel {
  readonly #draw: (params: PictureParams) => Promise<Picture>;
  readonly #image = make("img", { class: "shared-picture", attributes: { width: "1200", height: "630" } });
  readonly #words = make("p", { class: "muted picture-words" });
  readonly #buttons: HTMLElement;
  #shown: { params: PictureParams; picture: Picture } | undefined;

  constructor(panel: HTMLElement, draw: (params: PictureParams) => Promise<Picture>) {
    this.#draw = draw;
    const does = (text: string, run: () => Promise<void>, kind = ""): HTMLButtonElement =>
      button(text, () => run().catch((error: unknown) => notice(reasonOf(error))), kind);
    this.#buttons = make(
      "div",
      { class: "buttons" },
      does("Copy picture", () => this.#copy(), "primary"),
      does("Download .png", async () => download(`${this.#name}.png`, await this.#png(), "image/png")),
      does("Download .svg", async () => download(`${this.#name}.svg`, this.#shown?.picture.svg ?? "", "image/svg+xml")),
      does("Copy the alt text", async () => {
        if (await copy(this.#words.textContent ?? "")) confirmation("Copied the alt text.");
        else notice("The browser does not allow copying. Select the text instead.");
      }),
    );
    panel.replaceChildren(this.#image, this.#words, this.#buttons);
  }

  /** Shows the picture of a report; without one it says so. */
  async show(params: PictureParams | undefined): Promise<void> {
    const picture = params === undefined ? undefined : await this.#draw(params);
    const there = params !== undefined && picture !== undefined && picture.gone !== true;
    this.#image.hidden = this.#buttons.hidden = !there;
    if (!there) {
      this.#words.textContent = "No result yet. Open this again when there is one.";
      return;
    }
    this.#shown = { params, picture };
    this.#image.src = address(picture.svg);
    this.#image.alt = picture.alt;
    this.#words.textContent = picture.alt;
  }

  get #name(): string {
    return fileName({ title: this.#shown?.params.title ?? "" });
  }

  /** Browsers paste pictures of this kind everywhere. */
  async #copy(): Promise<void> {
    try {
      // Safari wants the promise: when it is fulfilled the click is long ago.
      await navigator.clipboard.write([new ClipboardItem({ "image/png": this.#png() })]);
      confirmation("Picture copied.");
    } catch {
      notice("The browser does not allow copying pictures here. Download it instead.");
    }
  }

  async #png(): Promise<Blob> {
    const shown = this.#shown;
    if (shown === undefined) throw new Error("No picture.");
    const image = new Image(WIDTH, HEIGHT);
    image.src = address(shown.picture.svg);
    await image.decode();
    const canvas = make("canvas");
    canvas.width = WIDTH;
    canvas.height = HEIGHT;
    canvas.getContext("2d")?.drawImage(image, 0, 0, WIDTH, HEIGHT);
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (drawn === null) throw new Error("The browser could not draw the picture.");
    const { title, link } = shown.params;
    const bytes = new Uint8Array(await drawn.arrayBuffer());
    const texts = { Title: title, Description: shown.picture.alt, Source: link, Software: "Preadmit" };
    return new Blob([withTexts(bytes, texts)], { type: "image/png" });
  }
}

/** An SVG as an address: images may come from the site, or be data. */
function address(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
