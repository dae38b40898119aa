// Python, and Idealist in it, beside the page: the page answers while it works.
import { loadPyodide } from "./pyodide.mjs";

const ready = start();

async function start() {
  const python = await loadPyodide({ indexURL: new URL("./", import.meta.url).href });
  const archive = await (await fetch(new URL("idealist.zip", import.meta.url))).arrayBuffer();
  python.FS.mkdirTree("/idealist");
  python.unpackArchive(archive, "zip", { extractDir: "/idealist" });
  const source = await (await fetch(new URL("live.py", import.meta.url))).text();
  python.FS.writeFile("/idealist/live.py", source);
  python.runPython("import sys; sys.path.insert(0, '/idealist'); import live, idealist");
  return python.pyimport("live");
}

self.onmessage = async ({ data: { id, name, values } }) => {
  try {
    const live = await ready;
    const answer = live[name](...values);
    self.postMessage({ id, answer: answer?.toJs ? answer.toJs() : answer });
  } catch (error) {
    self.postMessage({ id, error: message(String(error.message ?? error)) });
  }
};

// Of a traceback, what an error of ours says: its last lines.
function message(text) {
  const at = text.search(/\n(?:idealist\.errors\.\w+|\w*Error): /);
  return (at < 0 ? text : text.slice(at + 1)).replace(/^[\w.]+: /, "").trim();
}
