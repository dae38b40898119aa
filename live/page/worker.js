// Python, and Idealist in it, beside the page: the page answers while it works.
import { loadPyodide } from "./pyodide.mjs";

const PLACE = "/idealist";
const ready = start();

async function start() {
  const [python, archive] = await Promise.all([loadPyodide({ indexURL: new URL("./", import.meta.url).href }), fetched("idealist.zip")]);
  self.postMessage({ stage: "Loading Idealist …" });
  python.FS.mkdirTree(PLACE);
  python.unpackArchive(archive, "zip", { extractDir: PLACE });
  python.runPython(`import sys; sys.path.insert(0, '${PLACE}')`);
  python.pyimport("in_browser.loading").numpy_when_imported(() => loadNumPy(python));
  const answers = python.pyimport("in_browser.answers");
  self.postMessage({ stage: "" });
  return answers;
}

async function fetched(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

// Whether it could be loaded. An import waits for it, so the worker does, too; the page does not.
function loadNumPy(python) {
  self.postMessage({ stage: "Loading NumPy (3 MB, once) …" });
  try {
    const request = new XMLHttpRequest();
    request.open("GET", new URL("numpy.zip", import.meta.url), false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status !== 200) return false;
    python.unpackArchive(request.response, "zip", { extractDir: PLACE });
    return true;
  } catch {
    return false;
  } finally {
    self.postMessage({ stage: "" });
  }
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
