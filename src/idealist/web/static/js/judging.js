// Judging by keys: the next items are there before they are needed, answers go out behind the rater's back.

import { documentCard, preload } from "./judging_items.js";
import { Outbox, newId } from "./outbox.js";

const data = JSON.parse(document.getElementById("judging-data").textContent);
const place = (name) => document.getElementById(name);
const PREFETCHED = 5;
const BATCH = 10;
const RETRY = 2000;
const draftKey = `idealist.draft.${data.user}.${data.task}`;
const kind = { grades: "grade", sides: "vote" }[data.kind];

const queue = [];
const history = []; // answers of this page, to be undone
const answered = new Set();
let current = null, shownAt = 0, lastPlace = -1, fetching = false, whole = false, done = data.done;
let reasons = new Set();

const outbox = new Outbox({ user: data.user, token: data.token, changed: showState, refused: showRefused });
for (const { item, body } of outbox.entries()) {
  if (!item || !body?.kind) continue;
  if (body.kind === "undo") { answered.delete(item); done--; } else { answered.add(item); done++; }
}

const tabs = new BroadcastChannel(`idealist.task.${data.user}.${data.task}`);
tabs.onmessage = ({ data: { item, count } }) => {
  answered.add(item);
  done = Math.max(done, count);
  const at = queue.findIndex((other) => other.id === item);
  if (at >= 0) queue.splice(at, 1);
  if (current?.id === item) { say(data.texts.elsewhere); next(); } else showProgress();
};

function fill_in(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function say(text) {
  place("said").textContent = text;
}

function showState(state, detail) {
  const badge = place("state");
  badge.dataset.state = state;
  const waiting = outbox?.size ?? 0;
  badge.textContent = fill_in(data.texts[state], { count: waiting });
  place("state-detail").textContent = detail;
  place("state-login").hidden = state !== "login";
  if (state === "saved" && !current) fill();
}

function showRefused(entry, problem) {
  answered.delete(entry.item);
  const at = history.findIndex((other) => other.id === entry.body?.id);
  if (at >= 0) history.splice(at, 1);
  // The undo of an answer that was refused has nothing to take back.
  if (entry.body?.kind === "undo" || !entry.body?.kind) return;
  done = Math.max(0, done - 1);
  const list = place("refused");
  const line = document.createElement("p");
  line.textContent = [problem?.detail, problem?.hint].filter(Boolean).join(" – ") || data.texts.refused;
  list.replaceChildren(line);
  list.hidden = false;
  showProgress();
}

function showProgress() {
  const bar = place("progress");
  const text = fill_in(data.texts.progress, { done, all: data.all });
  bar.max = Math.max(data.all, 1);
  bar.value = done;
  bar.setAttribute("aria-label", text);
  place("progress-text").textContent = text;
}

async function fill() {
  if (fetching || whole || queue.length >= PREFETCHED) return;
  fetching = true;
  try {
    let items = await load(lastPlace);
    if (items.length) lastPlace = items.at(-1).place;
    else if (!current && !queue.length && !outbox.size) {
      items = await load(-1); // what was put off, or given back
      if (items.length) lastPlace = items.at(-1).place; else whole = true;
    }
    for (const item of items) {
      if (answered.has(item.id) || item.id === current?.id || queue.some((other) => other.id === item.id)) continue;
      queue.push(item);
      preload(item);
    }
    fetching = false;
    if (!current) next();
  } catch {
    fetching = false;
    if (!current) place("waiting").hidden = false;
    setTimeout(fill, RETRY);
  }
}

async function load(after) {
  const answer = await fetch(`/api/tasks/${data.task}/items?after=${after}&count=${BATCH}`);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

function next() {
  show(queue.shift() ?? null);
  if (queue.length < PREFETCHED) fill();
}

function show(item) {
  current = item;
  place("judging").hidden = !item;
  place("finished").hidden = Boolean(item) || !whole;
  place("waiting").hidden = Boolean(item) || whole;
  showProgress();
  if (!item) {
    place("query").textContent = data.texts[whole ? "finished" : "loading"];
    return;
  }
  place("query").textContent = item.query;
  for (const side of ["left", "right", "documents"]) {
    place(side)?.replaceChildren(...(item[side] ?? []).map((document, at) => documentCard(document, side === "documents" ? 0 : at + 1)));
    place(side)?.closest(".shown")?.scrollTo(0, 0);
  }
  const label = place("label");
  if (label) {
    label.hidden = item.label == null;
    label.textContent = item.label == null ? "" : fill_in(data.texts.label, { label: item.label });
  }
  const draft = readDraft();
  const mine = draft?.item === item.id;
  place("note").value = mine ? draft.note : "";
  setReasons(mine ? draft.reasons : []);
  if (window.scrollY) window.scrollTo(0, 0);
  shownAt = performance.now();
}

function send(item, body) {
  outbox.add({ item: item.id, path: `/api/items/${item.id}/events`, body: { id: newId(), made: Date.now(), ...body } });
}

function answer(kind, content) {
  if (!current) return;
  const item = current, id = newId();
  const note = place("note").value.trim();
  const seconds = Math.round((performance.now() - shownAt) / 100) / 10;
  answered.add(item.id);
  history.push({ id, item });
  done++;
  send(item, { id, kind, content: { ...content, ...(note && { note }), ...(reasons.size && { reasons: [...reasons] }), seconds } });
  tabs.postMessage({ item: item.id, count: done });
  localStorage.removeItem(draftKey);
  next();
  if (current) say(fill_in(data.texts.next, { query: current.query }));
}

async function undo() {
  let last = history.pop();
  if (!last) {
    if (outbox.size) return say(data.texts.wait);
    const found = await fetch(`/api/tasks/${data.task}/last`).then((answer) => answer.json()).catch(() => null);
    if (!found?.item) return say(data.texts.nothing);
    last = found;
  }
  send(last.item, { kind: "undo", content: {}, about: last.id });
  answered.delete(last.item.id);
  done = Math.max(0, done - 1);
  whole = false;
  if (current) queue.unshift(current);
  show(last.item);
  say(data.texts.undone);
}

function later() {
  if (!current) return;
  outbox.add({ item: current.id, path: `/api/items/${current.id}/later` });
  next();
}

function setReasons(chosen) {
  reasons = new Set(chosen);
  for (const chip of document.querySelectorAll("[data-reason]")) {
    chip.setAttribute("aria-pressed", String(reasons.has(chip.dataset.reason)));
  }
}

function readDraft() {
  try { return JSON.parse(localStorage.getItem(draftKey)); } catch { return null; }
}

function keepDraft() {
  const draft = { item: current?.id, note: place("note").value, reasons: [...reasons] };
  try { localStorage.setItem(draftKey, JSON.stringify(draft)); } catch { /* the note is still on the page */ }
}

const actions = {
  grade: (button) => answer(kind, { grade: Number(button.dataset.value) }),
  vote: (button) => answer(kind, { choice: isNaN(button.dataset.value) ? button.dataset.value : Number(button.dataset.value) }),
  skip: () => answer("skip", {}),
  undo, later,
  reason: (button) => {
    const reason = button.dataset.reason;
    setReasons(reasons.has(reason) ? [...reasons].filter((other) => other !== reason) : [...reasons, reason]);
    keepDraft();
  },
  note: () => place("note").focus(),
  guidelines: () => place("guidelines")?.showModal(),
  close: () => place("guidelines")?.close(),
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

place("note").addEventListener("input", keepDraft);
place("guidelines")?.addEventListener("click", (event) => { if (event.target === event.currentTarget) event.target.close(); });
showProgress();
outbox.flush();
fill();
