// The page *Try it*: what is pasted there goes to Python, and the tables that come back are shown.
import { ask, stop, watch } from "./ask.js";

const place = document.getElementById("live");
place.innerHTML = await text("form.html");
const form = document.getElementById("pasted");
const field = (name) => form.elements[name];
const [progress, status, problem, results] = ["progress", "[role=status]", ".problem", ".results"].map((name) => form.querySelector(name));
const runs = ["run A", "run B"];
const texts = ["judgments", ...runs];
const samples = { shop: ["shop.qrels", "a.run", "b.run"], small: ["small.qrels", "small-a.run", "small-b.run"] };
let tools = {};
let measured; // the measure and the runs that are shown

async function text(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded: ${response.status} ${response.statusText}`);
  return response.text();
}

// Tables are made by Idealist, which escapes every text in them.
function show(id, html) {
  document.getElementById(id).innerHTML = html;
}

function choose(name, options, wanted) {
  const select = field(name);
  const chosen = options.includes(select.value) ? select.value : (wanted ?? options[0]);
  select.replaceChildren(...options.map((option) => new Option(option)));
  select.value = chosen;
}

// One thing at a time: while it works, the button waits, and an error is shown where the text is that it is about.
async function working(words, work) {
  form.setAttribute("aria-busy", "true");
  field("start").disabled = true;
  status.textContent = words;
  complain();
  try {
    await work();
  } catch (error) {
    complain(error);
  }
  status.textContent = "";
  field("start").disabled = false;
  form.removeAttribute("aria-busy");
}

function complain(error) {
  problem.textContent = error?.message ?? "";
  for (const name of texts) field(name).setAttribute("aria-invalid", String(name === error?.source));
  if (texts.includes(error?.source) && error.line) selectLine(field(error.source), error.line);
}

function selectLine(area, line) {
  const lines = area.value.split("\n");
  const begin = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(begin, begin + (lines[line - 1] ?? "").length);
  area.scrollTop = area.scrollHeight * Math.max(0, (line - 3) / lines.length);
}

async function measure() {
  const measure = field("measure").value.trim();
  const pasted = Object.fromEntries(runs.filter((name) => name === runs[0] || field(name).value.trim()).map((name) => [name, field(name).value]));
  await working("Measuring …", async () => {
    const { tools: table, queries } = await ask("measured", field("judgments").value, pasted, measure);
    measured = { measure, runs: Object.keys(pasted) };
    show("tools", table);
    for (const cell of document.querySelectorAll("#tools tbody th")) {
      const about = document.createElement("small");
      about.textContent = tools[cell.textContent];
      cell.append(about);
    }
    choose("why run", measured.runs);
    choose("query run", measured.runs);
    choose("query", queries);
    results.hidden = false;
    results.classList.remove("stale");
    await Promise.all([difference(), buildUp()]);
  });
}

// What cannot be shown of one part does not take away the others.
async function part(id, ...question) {
  try {
    show(id, await ask(...question));
  } catch (error) {
    const words = document.createElement("p");
    words.textContent = error.message;
    document.getElementById(id).replaceChildren(words);
  }
}

const difference = () => part("difference", "difference", field("why run").value, measured.measure, field("first").value, field("second").value);
const buildUp = () => part("build-up", "build_up", field("query run").value, measured.measure, field("query").value, field("tool").value);

async function fill() {
  const names = samples[field("sample").value];
  const filled = names ? await Promise.all(names.map((name) => text(`samples/${name}`))) : ["", "", ""];
  texts.forEach((name, at) => { field(name).value = filled[at]; });
  if (!names) {
    results.hidden = true;
    complain();
    field("judgments").focus();
  }
}

function edited() {
  results.classList.add("stale");
  field("sample").value = "";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  measure();
});
form.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !field("start").disabled) {
    event.preventDefault();
    measure();
  }
});
for (const name of texts) field(name).addEventListener("input", edited);
field("measure").addEventListener("input", () => results.classList.add("stale"));
field("sample").addEventListener("change", async () => {
  await fill();
  if (field("sample").value && !field("start").disabled) measure();
});
for (const name of ["why run", "first", "second"]) field(name).addEventListener("change", difference);
for (const name of ["query", "query run", "tool"]) field(name).addEventListener("change", buildUp);
watch((stage) => {
  progress.hidden = !stage;
  if (stage) status.textContent = stage;
});

await working("", async () => {
  const [choices] = await Promise.all([ask("choices"), fill()]);
  tools = choices.tools;
  const names = Object.keys(tools);
  choose("first", names, "trec_eval-9");
  choose("second", names, "lightgbm");
  choose("tool", names);
  document.getElementById("measures").replaceChildren(...choices.measures.map((name) => new Option(name)));
});
if (tools && !problem.textContent) await measure();
