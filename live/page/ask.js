// Asking the Python in the worker: a promise for each question.
let worker;
let last = 0;
let stage = "";
const waiting = new Map();
const watchers = new Set();

// Calls `watcher` with what is being loaded, and with "" once Python is ready.
export function watch(watcher) {
  watchers.add(watcher);
  watcher(stage);
}

export function ask(question, ...values) {
  worker ??= started();
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, question, values: JSON.stringify(values) });
  });
}

// Ends whatever runs; the next question starts Python anew.
export function stop(reason = "Stopped.") {
  worker?.terminate();
  worker = undefined;
  tell("");
  for (const { reject } of waiting.values()) reject(new Error(reason));
  waiting.clear();
}

function started() {
  const made = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  made.onmessage = ({ data }) => {
    if ("stage" in data) return tell(data.stage);
    if ("broken" in data) return stop(data.broken);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    const { answer, error } = JSON.parse(data.text);
    if (error) reject(Object.assign(new Error(error.message), error));
    else resolve(answer);
  };
  made.onerror = () => stop("Python could not be started: this browser may be too old.");
  tell("Loading Python (15 MB, once) …");
  return made;
}

function tell(now) {
  stage = now;
  for (const watcher of watchers) watcher(stage);
}
