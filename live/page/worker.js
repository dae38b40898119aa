// Python, and Idealist in it, beside the page: the page answers while it works.
import { loadPyodide } from "./pyodide.mjs";

const ready = start();

async function start() {
  const [python, archive] = await Promise.all([loadPyodide({ indexURL: new URL("./", import.meta.url).href }), fetched("idealist.zip")]);
  self.postMessage({ stage: "Loading Idealist …" });
  python.FS.mkdirTree("/idealist");
  python.unpackArchive(archive, "zip", { extractDir: "/idealist" });
  python.runPython("import sys; sys.path.insert(0, '/idealist')");
  const answers = python.pyimport("in_browser.answers");
  self.postMessage({ stage: "" });
  return answers;
}

async function fetched(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

self.onmessage = async ({ data: { id, question, values } }) => {
  try {
    const text = (await ready).answered(question, values);
    self.postMessage({ id, text });
  } catch (error) {
    // Errors of Python are answers: this is the runtime itself, which cannot go on.
    self.postMessage({ broken: `Python stopped: ${error.message ?? error}` });
  }
};
