// The report of a study: the sequential line, and printing.

import { colours, draw } from "./chart.js";

function specification(element, values) {
  const { ranking, soft } = colours();
  const x = { field: "queries", type: "quantitative", axis: { title: element.dataset.queries, tickMinStep: 1, grid: false } };
  const y = { type: "quantitative", scale: { domain: [-1, 1] }, axis: { title: "GSB", tickCount: 5 } };
  const points = values.map((row) => ({ ...row, tip: `${element.dataset.queries}: ${row.queries}\nGSB ${row.value.toFixed(4)}\n${row.low.toFixed(4)} … ${row.high.toFixed(4)}` }));
  return {
    width: Math.max(260, element.clientWidth - 60), height: 200, autosize: { type: "fit", contains: "padding" },
    layer: [
      { data: { values: points }, mark: { type: "area", opacity: 0.18, color: ranking }, encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } } },
      { data: { values: [{ zero: 0 }] }, mark: { type: "rule", color: soft, strokeDash: [4, 4] }, encoding: { y: { field: "zero", type: "quantitative" } } },
      { data: { values: points }, mark: { type: "line", color: ranking, strokeWidth: 2, point: { color: ranking, size: 30 } }, encoding: { x, y: { ...y, field: "value" }, tooltip: { field: "tip" } } },
    ],
  };
}

async function drawLine(element) {
  const answer = await fetch(element.dataset.address);
  const points = answer.ok ? await answer.json() : [];
  if (points.length) await draw(element, specification(element, points));
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

async function drawLines() {
  for (const element of document.querySelectorAll("[data-chart=sequential]:not([data-drawn])")) {
    element.dataset.drawn = "yes";
    await drawLine(element);
  }
}

document.addEventListener("htmx:after:swap", drawLines);
await drawLines();
