// The page: what is pasted in goes to the worker, and the tables that come back are shown.
import { ask } from "./python.js";

const part = (id) => document.getElementById(id);
const form = part("input");
const state = part("state");
// Tables are made by Idealist, which escapes every text in them.
const show = (id, html) => { part(id).innerHTML = html; };

async function sample() {
  const [judgments, run] = await Promise.all(
    ["shop.qrels", "a.run"].map(async (name) => (await fetch(name)).text()),
  );
  form.judgments.value = judgments;
  form.run.value = run;
}

async function measure() {
  state.textContent = "Measuring …";
  form.measureButton.disabled = true;
  try {
    await ask("pasted", form.judgments.value, form.run.value);
    show("tools", await ask("tools", form.measure.value));
    const queries = await ask("queries");
    const chosen = form.query.value;
    form.query.replaceChildren(...queries.map((name) => new Option(name)));
    if (queries.includes(chosen)) form.query.value = chosen;
    part("results").hidden = false;
    await details();
  } catch (error) {
    state.textContent = error.message;
  }
  form.measureButton.disabled = false;
}

async function details() {
  const { measure, first, second, query } = form;
  try {
    show("difference", await ask("difference", measure.value, first.value, second.value));
    show("build-up", await ask("build_up", measure.value, query.value, first.value));
    state.textContent = "";
  } catch (error) {
    state.textContent = error.message;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  measure();
});
part("sample").addEventListener("click", sample);
for (const name of ["first", "second", "query"]) form[name].addEventListener("change", details);

state.textContent = "Loading Python …";
try {
  const [tools] = await Promise.all([ask("tool_names"), sample()]);
  form.first.replaceChildren(...tools.map((name) => new Option(name)));
  form.second.replaceChildren(...tools.map((name) => new Option(name)));
  form.second.value = "scikit-learn";
  state.textContent = "";
  form.measureButton.disabled = false;
} catch (error) {
  state.textContent = `Idealist could not be loaded: ${error.message}`;
}
