// Judging by keys: the next items are there before they are needed, and answers are sent in the background.

import { answerContent, draftOf, filled, place, say, showItem, showProgress, wire } from "./judging_form.js";
import { preload } from "./judging_items.js";
import { Outbox, newId, pageData } from "./outbox.js";

const data = JSON.parse(place("judging-data").textContent);
const PREFETCHED = 5;
const BATCH = 10;
const RETRY = 2000;
const draftKey = `idealist.draft.${data.user}.${data.task}`;

const queue = [];
const history = []; // answers of this page, to be undone
const answered = new Set();
let current = null, lastPlace = -1, fetching = false, whole = false, done = data.done;

const outbox = new Outbox({ user: data.user, token: data.token, changed: showState, refused: showRefused });
for (const { item, body } of unsent()) {
  if (body.kind === "undo") answered.delete(item); else answered.add(item);
}
done += difference();
let kept = unsent().length > 0; // by a page that was closed: one of them may have arrived, and be counted twice

const tabs = new BroadcastChannel(`idealist.task.${data.user}.${data.task}`);
tabs.onmessage = ({ data: { item, count } }) => {
  answered.add(item);
  done = Math.max(done, count);
  const at = queue.findIndex((other) => other.id === item);
  if (at >= 0) queue.splice(at, 1);
  if (current?.id === item) { say(data.texts.elsewhere); next(); } else progress();
};

function unsent() {
  return outbox.entries().filter(({ task, body }) => task === data.task && body?.kind);
}

function difference() {
  return unsent().reduce((sum, { body }) => sum + (body.kind === "undo" ? -1 : 1), 0);
}

async function recount() {
  const counted = await pageData().catch(() => null);
  if (!counted) return;
  done = counted.done + difference();
  progress();
}

function progress() {
  showProgress(done, data.all, data.texts.progress);
}

function showState(state, detail) {
  const badge = place("state");
  badge.dataset.state = state;
  badge.textContent = filled(data.texts[state], { count: outbox.size });
  place("state-detail").textContent = detail;
  place("state-login").hidden = state !== "login";
  if (state === "saved" && kept) { kept = false; recount(); }
  if (state === "saved" && !current) fill();
}

function showRefused(entry, problem) {
  answered.delete(entry.item);
  const at = history.findIndex((other) => other.id === entry.body?.id);
  if (at >= 0) history.splice(at, 1);
  // The undo of an answer that was refused has nothing to take back.
  if (entry.body?.kind === "undo" || !entry.body?.kind) return;
  if (entry.task === data.task) done = Math.max(0, done - 1);
  const line = document.createElement("p");
  line.textContent = data.texts.refused;
  const reason = document.createElement("p");
  reason.lang = "en"; // as the server says it
  reason.textContent = [problem?.detail, problem?.hint].filter(Boolean).join(" – ");
  place("refused").replaceChildren(line, ...(reason.textContent ? [reason] : []));
  place("refused").hidden = false;
  progress();
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
  } catch (error) {
    fetching = false;
    if (["401", "403"].includes(error.message)) showState("login", "");
    if (!current) place("waiting").hidden = false;
    setTimeout(fill, RETRY);
  }
}

async function load(after) {
  const answer = await fetch(`/api/tasks/${data.task}/items?after=${after}&count=${BATCH}`);
  if (!answer.ok) throw new Error(String(answer.status));
  if (place("state").dataset.state === "login" && !outbox.size) showState("saved", "");
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
  progress();
  if (item) showItem(item, readDraft(), data.texts.label);
  else place("query").textContent = data.texts[whole ? "finished" : "loading"];
}

function send(item, body) {
  outbox.add({ item: item.id, task: data.task, path: `/api/items/${item.id}/events`, body: { made: Date.now(), ...body } });
}

function answer(kind, content) {
  if (!current) return;
  const item = current, id = newId();
  answered.add(item.id);
  history.push({ id, item });
  done++;
  send(item, { id, kind, content: answerContent(content) });
  tabs.postMessage({ item: item.id, count: done });
  localStorage.removeItem(draftKey);
  next();
  if (current) say(filled(data.texts.next, { query: current.query }));
}

async function undo() {
  let last = history.pop();
  if (!last) {
    if (outbox.size) return say(data.texts.wait);
    const found = await fetch(`/api/tasks/${data.task}/last`).then((answer) => answer.json()).catch(() => null);
    if (!found?.item) return say(data.texts.nothing);
    last = found;
  }
  send(last.item, { id: newId(), kind: "undo", content: {}, about: last.id });
  answered.delete(last.item.id);
  done = Math.max(0, done - 1);
  whole = false;
  if (current) queue.unshift(current);
  show(last.item);
  say(data.texts.undone);
}

function later() {
  if (!current) return;
  outbox.add({ item: current.id, task: data.task, path: `/api/items/${current.id}/later` });
  next();
}

function readDraft() {
  try { return JSON.parse(localStorage.getItem(draftKey)); } catch { return null; }
}

function drafted() {
  try { localStorage.setItem(draftKey, JSON.stringify(draftOf(current))); } catch { /* the note is still on the page */ }
}

wire({ answer, undo, later, drafted });
progress();
outbox.flush();
fill();
