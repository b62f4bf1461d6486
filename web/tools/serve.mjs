// Serves the built site on this machine: node tools/serve.mjs [PORT]

import { makeServer } from "./server.mjs";

const port = Number(process.argv[2] ?? process.env["PORT"] ?? 8080);
const server = await makeServer();
server.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  console.error(
    error.code === "EADDRINUSE" ? `Port ${port} is taken; give another one: scripts/serve 8081` : error.message,
  );
  process.exit(1);
});
server.listen(port, "127.0.0.1", () => console.log(`Preadmit is at http://127.0.0.1:${port} (Ctrl+C stops it)`));
