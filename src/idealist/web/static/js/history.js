// Values over time with their intervals, one line for each run, and notes where they were made.

import { colours, draw } from "./chart.js";
import { localTime } from "./times.js";

function specification(element, { points, marks }) {
  const { accent } = colours();
  const values = points.map((point) => ({
    ...point,
    tip: [point.run, localTime(point.at), point.low === null ? point.value.toFixed(4) : `${point.value.toFixed(4)} [${point.low.toFixed(4)}, ${point.high.toFixed(4)}]`, ...(point.stale ? [element.dataset.stale] : [])].join("\n"),
  }));
  const notes = marks.map((mark) => ({ ...mark, tip: [element.dataset.note, localTime(mark.at), mark.subject, mark.text].filter(Boolean).join("\n") }));
  // The axis is one of numbers, with the ticks of a time scale: the interpreter does not know the dates of Vega-Lite's domains.
  const times = [...points, ...marks].map((row) => row.at);
  const span = Math.max(...times) - Math.min(...times);
  const pad = Math.max(span * 0.04, 60000);
  const domain = [Math.min(...times) - pad, Math.max(...times) + pad];
  const ticks = vega.scale("time")().domain(domain).ticks(Math.max(2, Math.min(8, Math.floor(element.clientWidth / 130)))).map(Number);
  const format = span < 480000 ? "%H:%M:%S" : span < 86400000 ? "%H:%M" : "%Y-%m-%d";
  const x = { field: "at", type: "quantitative", scale: { domain, nice: false, zero: false }, axis: { title: null, grid: false, values: ticks, labelExpr: `timeFormat(datum.value, '${format}')`, labelOverlap: true } };
  const y = (field) => ({ field, type: "quantitative", scale: { zero: false }, axis: { title: element.dataset.measure, tickCount: 5 } });
  const color = { field: "run", type: "nominal", legend: { title: null, orient: "top" }, scale: { scheme: "tableau10" } };
  const tooltip = { field: "tip" };
  return {
    width: Math.max(240, element.clientWidth - 70), height: 230, autosize: { type: "fit", contains: "padding" },
    layer: [
      { data: { values: notes }, mark: { type: "rule", color: accent, strokeDash: [4, 3], strokeWidth: 1.5 }, encoding: { x, tooltip } },
      { data: { values }, mark: { type: "line", strokeWidth: 1.5, interpolate: "step-after", opacity: 0.6 }, encoding: { x, y: y("value"), color } },
      { data: { values: values.filter((point) => point.low !== null) }, mark: { type: "rule", opacity: 0.45, strokeWidth: 2 }, encoding: { x, y: y("low"), y2: { field: "high" }, color, tooltip } },
      { data: { values: values.filter((point) => point.stale) }, mark: { type: "point", size: 60, filled: false, strokeWidth: 2, opacity: 1 }, encoding: { x, y: y("value"), color, tooltip } },
      { data: { values: values.filter((point) => !point.stale) }, mark: { type: "point", size: 70, filled: true, opacity: 1 }, encoding: { x, y: y("value"), color, tooltip } },
    ],
  };
}

async function start() {
  const element = document.getElementById("trend-chart");
  const data = document.getElementById("trend-data");
  if (!element || !data || element.dataset.drawn) return;
  const content = JSON.parse(data.textContent);
  if (!content.points.length) return;
  element.dataset.drawn = "yes";
  await draw(element, specification(element, content));
  element.firstElementChild?.setAttribute("aria-hidden", "true"); // the element has a name, the shapes have none
}

document.addEventListener("htmx:after:swap", start);
start();
