// A static server for web/dist that behaves as the hosted site does: it takes
// headers and redirects from netlify.toml and sends the compressed files that
// the build made. The browser tests use it too.

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = join(root, "web/dist");

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/**
 * @typedef {{ for: string, values: Record<string, string> }} HeaderRule
 * @typedef {{ from: string, to: string, status?: number }} Redirect
 */

/**
 * The rules of the netlify.toml that a site was built with: that of the tree of
 * which it is web/dist. Any other site has none.
 * @param {string} site
 */
async function rules(site) {
  const file = resolve(site, "../../netlify.toml");
  const config = parse(await readFile(file, "utf8").catch(() => ""));
  return {
    headers: /** @type {HeaderRule[]} */ (config["headers"] ?? []),
    redirects: /** @type {Redirect[]} */ (config["redirects"] ?? []),
  };
}

/**
 * Whether a path matches a rule's pattern, as Netlify's parser of headers has it:
 * every matching rule applies, a later one wins, upper and lower case are one,
 * and * stands for anything, also within a part of the path.
 * @param {string} pattern
 * @param {string} path
 */
function matches(pattern, path) {
  const parts = pattern.split("/").filter((part) => part !== "");
  const expressions = parts.map((part) =>
    part === "*"
      ? "?(.*)"
      : part
          .split("*")
          .map((p) => p.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
          .join("(.*)"),
  );
  return new RegExp(`^/${expressions.join("/")}/?$`, "iu").test(path);
}

/**
 * The file for a path, or undefined.
 * @param {string} path
 * @param {string} site
 */
async function find(path, site) {
  const file = normalize(join(site, path));
  if (file !== site && !file.startsWith(`${site}/`)) return undefined;
  for (const candidate of path.endsWith("/") ? [join(file, "index.html")] : [file, `${file}.html`]) {
    const info = await stat(candidate).catch(() => undefined);
    if (info?.isFile()) return candidate;
  }
  return undefined;
}

/**
 * A line of so many bits a second, which all answers of a server share.
 * @param {number} bits
 */
function line(bits) {
  let free = 0; // when it is, by performance.now()
  return async (/** @type {number} */ bytes) => {
    const now = performance.now();
    free = Math.max(now, free) + (bytes * 8 * 1000) / bits;
    await new Promise((done) => setTimeout(done, free - now));
  };
}

/**
 * Makes a server; the caller listens and closes.
 * @param {string} site the folder of the site, by default the one that was built here
 * @param {(path: string, bytes: number) => void} sent is called for each file that is sent
 * @param {number} [bits] a second of the line to the reader; without, it is as fast as the machine
 */
export async function makeServer(site = dist, sent = () => undefined, bits = undefined) {
  const { headers, redirects } = await rules(site);
  const take = bits === undefined ? undefined : line(bits);
  return createServer((request, response) => {
    answer(request, response).catch((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async function answer(request, response) {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    for (const rule of headers) {
      if (matches(rule.for, path)) {
        for (const [name, value] of Object.entries(rule.values)) response.setHeader(name, value);
      }
    }
    const redirect = redirects.find((r) => r.status !== 404 && matches(r.from, path));
    if (redirect !== undefined) {
      response.writeHead(redirect.status ?? 301, { location: redirect.to }).end();
      return;
    }
    const found = await find(path, site);
    if (found === undefined && (await find(`${path}/`, site)) !== undefined) {
      response.writeHead(301, { location: `${path}/` }).end();
      return;
    }
    const file = found ?? (await find("/404.html", site));
    if (file === undefined) {
      response.writeHead(404).end("there is no such file");
      return;
    }
    response.statusCode = found === undefined ? 404 : 200;
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    const name = await send(file, request, response, take);
    if (request.method !== "HEAD") sent(path, (await stat(name)).size);
  }
}

/**
 * Sends a file, compressed if there is such a file, and returns the name of what it sends.
 * @param {string} file
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {((bytes: number) => Promise<void>) | undefined} take waits for the line
 */
async function send(file, request, response, take) {
  let name = file;
  const compressed = await stat(`${file}.br`).catch(() => undefined);
  if (compressed !== undefined) {
    response.setHeader("Vary", "Accept-Encoding");
    if (/\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""))) {
      name = `${file}.br`;
      response.setHeader("Content-Encoding", "br");
    }
  }
  // A host that compresses on the way does not know the length of what it sends.
  if (name === file) response.setHeader("Content-Length", (await stat(name)).size);
  if (request.method === "HEAD") response.end();
  else if (take === undefined) createReadStream(name).pipe(response);
  else {
    for await (const chunk of createReadStream(name, { highWaterMark: 1 << 14 })) {
      await take(chunk.length);
      response.write(chunk);
    }
    response.end();
  }
  return name;
}
