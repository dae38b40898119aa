// A packet: a task without a server. Answers are kept in the browser; the ballot has them, with a seal.

import { answerContent, draftOf, filled, place, say, showItem, showProgress, wire } from "./judging_form.js";

const data = JSON.parse(place("judging-data").textContent);
const key = `idealist.packet.${data.packet}`;
const known = new Map(data.items.map((item) => [item.id, item]));
const kept = Object.assign({ order: data.items.map((item) => item.id), answers: {}, given: [], draft: null }, stored());
let current = null;

function stored() {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function keep() {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
    place("state").textContent = data.texts.kept;
    place("state").dataset.state = "saved";
  } catch {
    place("state").textContent = data.texts.unkept;
    place("state").dataset.state = "trouble";
  }
}

function show() {
  const number = kept.order.find((id) => !(id in kept.answers));
  current = number === undefined ? null : known.get(number);
  place("judging").hidden = !current;
  place("finished").hidden = Boolean(current);
  showProgress(kept.given.length, data.items.length, data.texts.progress);
  if (current) showItem(current, kept.draft, data.texts.label);
  else place("query").textContent = data.texts.finished;
}

function answer(kind, content) {
  if (!current) return;
  kept.answers[current.id] = { id: crypto.randomUUID(), item: current.id, kind, content: answerContent(content), made: Date.now() };
  kept.given.push(current.id);
  kept.draft = null;
  keep();
  show();
  if (current) say(filled(data.texts.next, { query: current.query }));
}

function undo() {
  const last = kept.given.pop();
  if (last === undefined) return say(data.texts.nothing);
  delete kept.answers[last];
  kept.order = [last, ...kept.order.filter((id) => id !== last)];
  keep();
  show();
  say(data.texts.undone);
}

function later() {
  if (!current) return;
  kept.order = [...kept.order.filter((id) => id !== current.id), current.id];
  keep();
  show();
}

function drafted() {
  kept.draft = draftOf(current);
  keep();
}

async function sealed(text) {
  const bytes = Uint8Array.from(data.key.match(/../g), (pair) => parseInt(pair, 16));
  const imported = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const seal = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
  return [...new Uint8Array(seal)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ballot() {
  const answers = JSON.stringify(kept.given.map((id) => kept.answers[id]));
  const content = JSON.stringify({ format: "idealist-ballot", version: 1, packet: data.packet, answers, seal: await sealed(answers) });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = `ballot-${data.packet}.json`;
  link.click();
  say(data.texts.ballot);
}

wire({ answer, undo, later, drafted, ballot });
keep();
show();
