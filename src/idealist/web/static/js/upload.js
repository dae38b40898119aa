// Files dropped on the page, and how far they are sent.

import { localTimes } from "./times.js";

const form = document.querySelector("form.upload");
const files = form.querySelector("input[type=file]");
const area = form.querySelector(".drop");
const shown = form.querySelector(".progress");

for (const name of ["dragenter", "dragover"]) {
  area.addEventListener(name, (event) => { event.preventDefault(); area.classList.add("over"); });
}
for (const name of ["dragleave", "drop"]) {
  area.addEventListener(name, () => area.classList.remove("over"));
}
area.addEventListener("drop", (event) => {
  event.preventDefault();
  files.files = event.dataTransfer.files;
});

function say(text, share) {
  shown.hidden = false;
  shown.querySelector("span").textContent = text;
  const bar = shown.querySelector("progress");
  if (share === undefined) bar.removeAttribute("value"); else bar.value = share;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const size = [...files.files].reduce((sum, file) => sum + file.size, 0);
  if (size > Number(form.dataset.largest)) return say(form.dataset.tooLarge, 0);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.upload.addEventListener("progress", (sent) => {
    const share = Math.round(100 * sent.loaded / sent.total);
    if (share < 100) say(`${form.dataset.sending} ${share} %`, share); else say(form.dataset.reading);
  });
  request.addEventListener("error", () => { delete form.dataset.sent; say(form.dataset.failed, 0); });
  request.addEventListener("load", () => {
    if (request.status < 400) { location.href = request.responseURL; return; }
    // The page again, with what is wrong on it, and with the files that were added before that one.
    const answer = new DOMParser().parseFromString(request.responseText, "text/html");
    const note = answer.querySelector(".note.problem") ?? answer.querySelector("main");
    const added = answer.querySelector(".note.added");
    for (const old of document.querySelectorAll(".note.problem, .note.added")) old.remove();
    const card = form.closest(".card");
    card.before(document.adoptNode(note));
    if (added) card.before(document.adoptNode(added));
    const sources = answer.getElementById("sources");
    if (sources) {
      document.getElementById("sources").replaceWith(document.adoptNode(sources));
      localTimes(sources);
    }
    note.setAttribute("tabindex", "-1");
    note.focus();
    shown.hidden = true;
    delete form.dataset.sent;
  });
  request.send(new FormData(form));
});
