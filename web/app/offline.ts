// Registers the service worker once the page has its engine, and offers a new
// version when one has been fetched.

import { notice } from "./notice.ts";
import { trustedScript } from "./trusted.ts";

let installed = false;

/**
 * To be called when the engine is there. The service worker fetches it too, and
 * two at once do not go well: the browser lets them share one response, and
 * where its cache is too small for it (a private window) it fails one of them.
 */
export function installOffline(): void {
  if (installed || !("serviceWorker" in navigator)) return;
  installed = true;
  navigator.serviceWorker.register(trustedScript("/sw.js")).then(watch, () => {
    // Not over HTTPS, or switched off: the page works as before, online.
  });
}

function watch(registration: ServiceWorkerRegistration): void {
  if (registration.waiting !== null) offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => {
      // Without a controller this is the first visit: there is nothing to replace.
      if (worker.state === "installed" && navigator.serviceWorker.controller !== null) offer(worker);
    });
  });
}

function offer(worker: ServiceWorker): void {
  notice("A new version of this page is ready. Your text is kept.", {
    name: "Reload",
    run: () => {
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      worker.postMessage("take over");
    },
  });
}
