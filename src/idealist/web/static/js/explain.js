// The chart of one query, and documents that can be moved by mouse and by keyboard. The server does the arithmetic.

import { colours, draw } from "./chart.js";

const place = document.getElementById("explanation");

function specification(element, rows) {
  const { ranking, ideal, soft } = colours();
  const names = { ranking: element.dataset.ranking, ideal: element.dataset.ideal };
  const values = rows.map((row) => ({
    ...row,
    list: names[row.list],
    tip: `${element.dataset.rank} ${row.rank}: ${row.document}\n${row.judged ? `${row.grade} → ${row.value.toFixed(4)}` : element.dataset.unjudged}`,
  }));
  const unjudged = values.filter((row) => !row.judged);
  const height = Math.max(...values.map((row) => row.value), 0) * 0.06;
  const x = { field: "rank", type: "ordinal", axis: { labelAngle: 0, title: element.dataset.rank, grid: false } };
  const xOffset = { field: "list", sort: [names.ranking, names.ideal] };
  const tooltip = { field: "tip" };
  return {
    width: Math.max(280, element.clientWidth - 70), height: 200, autosize: { type: "fit", contains: "padding" },
    layer: [
      { data: { values }, mark: { type: "bar", cornerRadiusEnd: 2 }, encoding: { x, xOffset, tooltip,
        y: { field: "value", type: "quantitative", axis: { title: element.dataset.adds, tickCount: 4 } },
        color: { field: "list", type: "nominal", scale: { domain: [names.ranking, names.ideal], range: [ranking, ideal] }, legend: { title: null, orient: "top" } } } },
      { data: { values: unjudged.map((row) => ({ ...row, value: height })) }, mark: { type: "bar", fillOpacity: 0, stroke: soft, strokeDash: [3, 3] },
        encoding: { x, xOffset, tooltip, y: { field: "value", type: "quantitative" } } },
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
