// A Run button below each example. What runs can be changed and run again; an example may also be put back as it was.
import { ask, stop, watch } from "./ask.js";

const words = document.documentElement.lang.startsWith("zh") || location.pathname.includes("/zh/")
  ? { run: "运行", stop: "停止", back: "还原", code: "可修改的代码", nothing: "（没有输出）", running: "正在运行 …" }
  : { run: "Run", stop: "Stop", back: "Reset", code: "Code, which you can change", nothing: "(prints nothing)", running: "Running …" };
const PATIENCE = 1000; // milliseconds until an example can be stopped
let stage = "";
watch((now) => { stage = now; document.querySelectorAll(".run-waits").forEach((output) => { output.textContent = waitingWords(); }); });
const waitingWords = () => stage || words.running;

// The code of an example without prompts and what they print.
function code(shown) {
  const lines = shown.replace(/\n$/, "").split("\n");
  if (!lines.some((line) => line.startsWith(">>>"))) return lines.join("\n");
  return lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4)).join("\n");
}

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

function add(block) {
  const source = code(block.querySelector("code").textContent);
  const box = document.createElement("div");
  box.className = "run";
  const bar = document.createElement("div");
  bar.className = "run-bar";
  const editor = document.createElement("textarea");
  editor.spellcheck = false;
  editor.setAttribute("aria-label", words.code);
  const output = document.createElement("pre");
  output.setAttribute("role", "status");
  const start = button(words.run, run);
  const halt = button(words.stop, () => stop());
  const back = button(words.back, reset);
  bar.append(start, halt, back);
  box.append(editor, bar, output);
  block.after(box);

  function fit() {
    editor.rows = editor.value.split("\n").length;
  }

  function reset() {
    editor.value = source;
    block.hidden = false;
    for (const part of [editor, output, halt, back]) part.hidden = true;
    start.focus({ preventScroll: true });
  }

  async function run() {
    block.hidden = true;
    for (const part of [editor, output, back]) part.hidden = false;
    fit();
    start.disabled = true;
    output.className = "run-waits";
    output.textContent = waitingWords();
    const patience = setTimeout(() => { halt.hidden = false; }, PATIENCE);
    try {
      const { output: printed, failed } = await ask("example", editor.value);
      output.className = failed ? "run-failed" : "";
      output.textContent = printed.replace(/\n$/, "") || words.nothing;
    } catch (error) {
      output.className = "run-failed";
      output.textContent = error.message;
    }
    clearTimeout(patience);
    halt.hidden = true;
    start.disabled = false;
  }

  editor.addEventListener("input", fit);
  editor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey) && !start.disabled) {
      event.preventDefault();
      run();
    }
  });
  editor.value = source;
  for (const part of [editor, output, halt, back]) part.hidden = true;
}

document.querySelectorAll(".language-python, .language-pycon").forEach(add);
