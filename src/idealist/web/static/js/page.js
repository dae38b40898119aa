// What every page does: times in the reader's zone, the current tab in view, and forms that are not sent twice.

import { localTimes } from "./times.js";

localTimes(document);
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
document.addEventListener("htmx:after:swap", () => localTimes(document));

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  if (form.method === "post") {
    form.dataset.sent = "yes";
    setTimeout(() => delete form.dataset.sent, 3000);
  }
});
// A page that comes back from the browser's memory has not been sent.
window.addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach((form) => delete form.dataset.sent));
