// The chart of one query, and documents that can be moved by mouse and by keyboard. The server does the arithmetic.

import { colours, draw } from "./chart.js";

const place = document.getElementById("explanation");

const STUB = 0.07; // of the height: how tall an unjudged document is drawn, which adds nothing

// The sum down to each rank, of the ranking and of the ideal list: what was added before in a light tone, what this rank
// adds (gain × discount) on top of it, and an unjudged document hatched.
function specification(element, rows) {
  const { ranking, ideal, soft } = colours();
  const { dataset } = element;
  const names = { ranking: dataset.ranking, ideal: dataset.ideal };
  const top = Math.max(...rows.map((row) => row.sum), 1e-9);
  const values = rows.map((row) => ({
    ...row,
    list: names[row.list],
    from: row.sum - row.value,
    stub: row.sum + STUB * top,
    tip: `${dataset.rank} ${row.rank}${row.document ? `: ${row.document}` : ""}\n${row.judged ? `${row.grade} → +${row.value.toFixed(4)}` : dataset.unjudged}\n${dataset.sum} ${row.sum.toFixed(4)}`,
  }));
  const x = { field: "rank", type: "ordinal", axis: { labelAngle: 0, title: dataset.rank, grid: false } };
  const xOffset = { field: "list", sort: [names.ranking, names.ideal] };
  const tooltip = { field: "tip" };
  const y = (field) => ({ field, type: "quantitative", axis: { title: dataset.sum, tickCount: 4 } });
  const color = { field: "list", type: "nominal", scale: { domain: [names.ranking, names.ideal], range: [ranking, ideal] }, legend: { title: null, orient: "top", symbolOpacity: 1 } };
  return {
    width: Math.max(280, element.clientWidth - 70), height: 220, autosize: { type: "fit", contains: "padding" },
    layer: [
      { data: { values: values.filter((row) => row.from > 0) }, mark: { type: "bar", opacity: 0.28 },
        encoding: { x, xOffset, tooltip, color, y: y("from") } },
      { data: { values: values.filter((row) => row.value) }, mark: { type: "bar", cornerRadiusEnd: 2 },
        encoding: { x, xOffset, tooltip, color, y: y("from"), y2: { field: "sum" } } },
      { data: { values: values.filter((row) => !row.judged) }, mark: { type: "bar", fill: "url(#hatch)", stroke: soft, strokeWidth: 0.75 },
        encoding: { x, xOffset, tooltip, y: y("sum"), y2: { field: "stub" } } },
    ],
  };
}

async function drawChart() {
  const element = place.querySelector(".chart");
  const data = place.querySelector(".chart-data");
  if (element && data) await draw(element, specification(element, JSON.parse(data.textContent)));
}

const order = () => [...place.querySelectorAll(".ranking li")].map((item) => item.dataset.document);

async function show(documents, focus) {
  const asked = new URLSearchParams(new FormData(document.getElementById("switches")));
  for (const document of documents) asked.append("order", document);
  const answer = await fetch(`${place.dataset.address}?${asked}`);
  if (answer.status === 401) return void location.reload(); // which leads to the login
  place.innerHTML = await answer.text();
  await drawChart();
  focus?.();
}

function move(item, to) {
  const documents = order();
  const from = documents.indexOf(item.dataset.document);
  documents.splice(to, 0, ...documents.splice(from, 1));
  return documents;
}

place?.addEventListener("click", (event) => {
  if (event.target.closest("[data-reset]")) return void show([]);
  const button = event.target.closest("[data-move]");
  if (!button) return;
  const item = button.closest("li");
  const step = Number(button.dataset.move);
  const id = item.dataset.document;
  show(move(item, order().indexOf(id) + step), () => {
    const again = [...place.querySelectorAll(".ranking li")].find((other) => other.dataset.document === id);
    const same = again.querySelector(`[data-move="${step}"]`);
    (same.disabled ? again.querySelector("[data-move]:not([disabled])") : same).focus();
  });
});

let dragged;
place?.addEventListener("dragstart", (event) => {
  dragged = event.target.closest("li");
  dragged?.classList.add("dragged");
});
place?.addEventListener("dragend", () => dragged?.classList.remove("dragged"));
place?.addEventListener("dragover", (event) => {
  const over = event.target.closest(".ranking li");
  if (!dragged || !over) return;
  event.preventDefault();
  place.querySelector(".target")?.classList.remove("target");
  over.classList.add("target");
});
place?.addEventListener("drop", (event) => {
  const over = event.target.closest(".ranking li");
  if (!dragged || !over || over === dragged) return;
  event.preventDefault();
  show(move(dragged, order().indexOf(over.dataset.document)));
});

// Every switch shows its effect at once.
document.getElementById("switches")?.addEventListener("change", (event) => {
  if (event.target.matches("select")) event.currentTarget.requestSubmit();
});

if (place) drawChart();
