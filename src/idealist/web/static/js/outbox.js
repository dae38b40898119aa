// Answers on their way to the server. Each is kept in the browser until the server has acknowledged it, one entry under one
// key, so that two tabs never write over each other; sending one again changes nothing, as the server knows its id.

const PREFIX = "idealist.outbox.";
const SLOWEST = 15_000; // milliseconds between two tries
const REFUSED = new Set([400, 404, 409, 413, 422]);

export function newId() {
  // randomUUID is there on HTTPS and localhost alone.
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// What the server puts into this page now.
export async function pageData() {
  const answer = await fetch(location.pathname);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return JSON.parse(page.getElementById("judging-data").textContent);
}

export class Outbox {
  // `changed(state, detail)` hears saved, sending, offline, trouble (the server cannot store it now) and login;
  // `refused(entry, problem)` hears of an answer that the server will never take.
  constructor({ user, token, changed, refused }) {
    Object.assign(this, { user, token, changed, refused });
    this.prefix = `${PREFIX}${user}.`;
    this.unkept = new Map(); // what the browser's storage has no room for
    this.count = 0;
    this.wait = 0;
    this.sending = false;
    window.addEventListener("online", () => this.flush());
    window.addEventListener("beforeunload", (event) => { if (this.size) event.preventDefault(); });
  }

  keys() {
    const stored = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    return [...stored, ...this.unkept.keys()].sort();
  }

  get size() { return this.keys().length; }

  entries() { return this.keys().map((key) => this.read(key)).filter(Boolean); }

  // None where another tab has sent it, or it is damaged.
  read(key) {
    try { return this.unkept.get(key) ?? JSON.parse(localStorage.getItem(key)); } catch { return null; }
  }

  add(entry) {
    const key = `${this.prefix}${String(Date.now()).padStart(15, "0")}.${String(this.count++).padStart(6, "0")}.${newId()}`;
    try { localStorage.setItem(key, JSON.stringify(entry)); } catch { this.unkept.set(key, entry); }
    this.flush();
  }

  remove(key) {
    this.unkept.delete(key);
    localStorage.removeItem(key);
  }

  async flush() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    let state = "saved", detail = "", renewed = false;
    for (let key = this.keys()[0]; key; key = this.keys()[0]) {
      this.changed("sending", "");
      const entry = this.read(key);
      if (!entry) { this.remove(key); continue; }
      const answer = await this.send(entry);
      if (answer.ok) { this.remove(key); this.wait = 0; continue; }
      if (REFUSED.has(answer.status)) { this.remove(key); this.refused(entry, answer.problem); continue; }
      if (answer.status === 401 || answer.status === 403) {
        if (!renewed && await this.renew()) { renewed = true; continue; }
        state = "login";
      } else if (answer.status) {
        state = "trouble";
        detail = answer.problem?.hint || answer.problem?.detail || "";
      } else {
        state = "offline";
      }
      break;
    }
    this.sending = false;
    if (state !== "saved") {
      this.wait = Math.min(SLOWEST, this.wait ? 2 * this.wait : 1000);
      this.timer = setTimeout(() => this.flush(), this.wait);
    }
    this.changed(state, detail);
  }

  async send(entry) {
    const headers = { "content-type": "application/json", "x-form-token": this.token };
    try {
      const answer = await fetch(entry.path, { method: "POST", headers, body: JSON.stringify(entry.body ?? {}), keepalive: true, redirect: "error" });
      const problem = answer.ok ? null : await answer.json().catch(() => null);
      return { ok: answer.ok, status: answer.status, problem };
    } catch {
      return { ok: false, status: 0, problem: null };
    }
  }

  // Somebody who logged in again, in another tab, has another form token: the page has it.
  async renew() {
    try {
      const data = await pageData();
      if (data.user !== this.user || data.token === this.token) return false;
      this.token = data.token;
      return true;
    } catch {
      return false;
    }
  }
}
