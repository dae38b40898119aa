// Asking the worker: a promise for each question.
let worker;
let last = 0;
const waiting = new Map();

export function ask(name, ...values) {
  if (!worker) {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data: { id, answer, error } }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    };
  }
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, name, values });
  });
}
