// Registers the service worker once the page is idle, and offers a new version
// when one has been fetched.

import { notice } from "./notice.ts";

export function installOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  window.addEventListener("load", () => {
    navigator.serviceWorker.register("/sw.js").then(watch, () => {
      // Not over HTTPS, or switched off: the page works as before, online.
    });
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
