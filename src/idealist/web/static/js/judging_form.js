// What is judged, the answers and their keys: the same on the page and in a packet.

import { documentCard } from "./judging_items.js";

export const place = (name) => document.getElementById(name);
let reasons = new Set();
let shownAt = 0;

export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function say(text) {
  place("said").textContent = text;
}

export function showProgress(done, all, text) {
  const bar = place("progress");
  const label = filled(text, { done, all });
  bar.max = Math.max(all, 1);
  bar.value = done;
  bar.setAttribute("aria-label", label);
  place("progress-text").textContent = label;
}

export function showItem(item, draft, labelText) {
  place("query").textContent = item.query;
  for (const side of ["left", "right", "documents"]) {
    place(side)?.replaceChildren(...(item[side] ?? []).map((shown, at) => documentCard(shown, side === "documents" ? 0 : at + 1)));
  }
  const label = place("label");
  if (label) {
    label.hidden = item.label == null;
    label.textContent = item.label == null ? "" : filled(labelText, { label: item.label });
  }
  const mine = draft?.item === item.id;
  place("note").value = mine ? draft.note : "";
  setReasons(mine ? draft.reasons : []);
  if (window.scrollY) window.scrollTo(0, 0);
  shownAt = performance.now();
}

// What goes with every answer.
export function answerContent(content) {
  const note = place("note").value.trim();
  const seconds = Math.round((performance.now() - shownAt) / 100) / 10;
  return { ...content, ...(note && { note }), ...(reasons.size && { reasons: [...reasons] }), seconds };
}

export function draftOf(item) {
  return { item: item?.id, note: place("note").value, reasons: [...reasons] };
}

function setReasons(chosen) {
  reasons = new Set(chosen);
  for (const chip of document.querySelectorAll("[data-reason]")) {
    chip.setAttribute("aria-pressed", String(reasons.has(chip.dataset.reason)));
  }
}

// `answer(kind, content)`, `undo`, `later` and `drafted` are the page's; other actions may come with them.
export function wire({ answer, drafted, ...others }) {
  const actions = {
    grade: ({ dataset }) => answer("grade", { grade: Number(dataset.value) }),
    vote: ({ dataset }) => answer("vote", { choice: isNaN(dataset.value) ? dataset.value : Number(dataset.value) }),
    skip: () => answer("skip", {}),
    reason: ({ dataset: { reason } }) => {
      setReasons(reasons.has(reason) ? [...reasons].filter((other) => other !== reason) : [...reasons, reason]);
      drafted();
    },
    note: () => place("note").focus(),
    guidelines: () => place("guidelines")?.showModal(),
    close: () => place("guidelines")?.close(),
    ...others,
  };
  const keys = new Map();
  for (const button of document.querySelectorAll("[data-action]")) {
    button.addEventListener("click", () => actions[button.dataset.action](button));
    if (button.dataset.key) keys.set(button.dataset.key, button);
  }
  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || place("guidelines")?.open) return;
    if (event.target.matches("textarea, input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const button = keys.get(event.key.toLowerCase());
    if (!button) return;
    event.preventDefault();
    actions[button.dataset.action](button);
  });
  place("note").addEventListener("input", drafted);
  place("guidelines")?.addEventListener("click", (event) => { if (event.target === event.currentTarget) event.target.close(); });
}
