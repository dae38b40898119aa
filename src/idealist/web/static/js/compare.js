// Every query of two runs as a point and as a bar. Dragging over either selects queries; a click opens their two lists.

import { colours, draw } from "./chart.js";

const LARGE = 1500; // marks beyond which a canvas is quicker than elements

function rowsOf(data) {
  return data.queries.map((query, at) => ({ query, place: at + 1, baseline: data.baseline[at], value: data.values[at], difference: data.values[at] - data.baseline[at] }));
}

const shown = (number) => number.toFixed(4).replace("-", "\u2212");
const CHOSEN = "keep === null || keep[datum.query] === true";

function scatter(place, element, rows) {
  const { accent, soft, line } = colours();
  const numbers = rows.flatMap((row) => [row.baseline, row.value]);
  const ends = [Math.min(...numbers, 0), Math.max(...numbers, 1e-9)];
  const names = place.dataset;
  const values = rows.map((row) => ({ ...row, tip: `${row.query}\n${names.baseline} ${shown(row.baseline)}\n${names.system} ${shown(row.value)}` }));
  const axis = (field, title) => ({ field, type: "quantitative", scale: { domain: ends, nice: true }, axis: { title, tickCount: 5 } });
  return {
    params: [{ name: "keep", value: null }],
    width: Math.max(220, element.clientWidth - 60), height: 280, autosize: { type: "fit", contains: "padding" },
    layer: [
      { data: { values: [{ x: ends[0], y: ends[0] }, { x: ends[1], y: ends[1] }] }, mark: { type: "line", color: line, strokeDash: [4, 4] },
        encoding: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } } },
      { data: { values }, params: [{ name: "brush", select: { type: "interval", mark: { fill: accent, fillOpacity: 0.1, stroke: accent } } }],
        mark: { type: "point", filled: true, size: rows.length > 400 ? 16 : 46, cursor: "pointer" },
        encoding: { x: axis("baseline", names.ofBaseline), y: axis("value", names.ofSystem), tooltip: { field: "tip" },
          color: { condition: { test: CHOSEN, value: accent }, value: soft },
          opacity: { condition: { test: CHOSEN, value: 0.75 }, value: 0.18 } } },
    ],
  };
}

function bars(place, element, rows, sign) {
  const { good, bad, accent } = colours();
  const width = Math.max(220, element.clientWidth - 60);
  const values = rows.map((row) => ({ ...row, better: sign * row.difference > 0, tip: `${row.query}\n${place.dataset.difference} ${shown(row.difference)}` }));
  return {
    params: [{ name: "keep", value: null }],
    width, height: 280, autosize: { type: "fit", contains: "padding" }, data: { values },
    layer: [{
      params: [{ name: "brush", select: { type: "interval", encodings: ["x"], mark: { fill: accent, fillOpacity: 0.1, stroke: accent } } }],
      mark: { type: "bar", width: Math.max(0.6, 0.75 * (width - 50) / rows.length), cursor: "pointer" },
      encoding: {
        x: { field: "place", type: "quantitative", scale: { domain: [0.4, rows.length + 0.6], nice: false }, axis: { title: place.dataset.order, grid: false, tickCount: 5, tickMinStep: 1, format: "d" } },
        y: { field: "difference", type: "quantitative", axis: { title: place.dataset.difference, tickCount: 5 } }, tooltip: { field: "tip" },
        color: { condition: { test: "datum.better", value: good }, value: bad },
        opacity: { condition: { test: CHOSEN, value: 0.95 }, value: 0.18 } },
    }],
  };
}

const FIELDS = { baseline: "among_baseline", value: "among_value", place: "among_place" };

async function start() {
  const place = document.getElementById("charts");
  if (!place || place.dataset.drawn) return;
  place.dataset.drawn = "yes";
  const form = document.getElementById("selection");
  const data = await (await fetch(place.dataset.address)).json();
  const rows = rowsOf(data);
  const renderer = rows.length > LARGE ? "canvas" : "svg";
  const elements = [document.getElementById("scatter"), document.getElementById("bars")];
  const views = [
    await draw(elements[0], scatter(place, elements[0], rows), renderer),
    await draw(elements[1], bars(place, elements[1], rows, data.sign), renderer),
  ];

  // The name of the picture stands on its element; the shapes of a brush have none.
  for (const element of elements) element.firstElementChild?.setAttribute("aria-hidden", "true");

  function mark() {
    const limits = Object.entries(FIELDS).map(([field, name]) => [field, form.elements[name].value.split(",").map(Number)]).filter(([, ends]) => ends.length === 2);
    const [least, most] = ["least", "most"].map((name) => form.elements[name].value.trim().replace("\u2212", "-"));
    const chosen = (row) => limits.every(([field, [low, high]]) => row[field] >= low && row[field] <= high)
      && (!least || row.difference >= Number(least)) && (!most || row.difference <= Number(most));
    const all = limits.length === 0 && !least && !most;
    const keep = all ? null : Object.fromEntries(rows.filter(chosen).map((row) => [row.query, true]));
    for (const view of views) view.signal("keep", keep).runAsync();
  }

  // Enter in a field is a change and then a submit. Listing the same queries twice would take away the link that was
  // focused in between; and an answer that comes late must not take the place of a newer one.
  let listed = null;
  async function list() {
    mark();
    const asked = new URLSearchParams(new FormData(form)).toString();
    if (asked === listed) return;
    listed = asked;
    try {
      const answer = await fetch(`${place.dataset.part.split("?")[0]}?${asked}`);
      if (answer.status === 401) return void location.reload(); // which leads to the login
      const part = await answer.text();
      if (asked !== listed) return;
      document.getElementById("queries").innerHTML = part;
    } catch (error) {
      if (asked === listed) listed = null;
      throw error;
    }
    history.replaceState(null, "", `${form.getAttribute("action")}?${asked}`);
  }

  // One brush at a time: what the reader drags over takes the place of the rectangle on the other chart.
  let active = null;
  function wipe(at) {
    views[at].signal("brush_x", [0, 0]);
    if (at === 0) views[at].signal("brush_y", [0, 0]);
    views[at].runAsync();
  }

  let waiting;
  views.forEach((view, at) => view.addSignalListener("brush", (name, ends) => {
    if (active !== at) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const [field, input] of Object.entries(FIELDS)) form.elements[input].value = ends[field]?.join(",") ?? "";
      list();
    }, 150);
  }));
  elements.forEach((element, at) => {
    let from;
    element.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      if (active !== at) wipe(1 - at);
      active = at;
    }, { capture: true });
    views[at].addEventListener("click", (event, item) => {
      const moved = from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4;
      if (!moved && item?.datum?.query) location.href = `${place.dataset.lists}&query=${encodeURIComponent(item.datum.query)}`;
    });
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); list(); });
  form.addEventListener("change", (event) => { if (event.target.matches("select, input")) list(); });
  document.getElementById("queries").addEventListener("click", (event) => {
    if (!event.target.closest("[data-clear]")) return;
    event.preventDefault();
    for (const name of [...Object.values(FIELDS), "least", "most"]) form.elements[name].value = "";
    active = null;
    [0, 1].forEach(wipe);
    list();
  });
  mark();
}

document.addEventListener("change", (event) => {
  if (event.target.closest("#chosen-measure")) event.target.form.requestSubmit();
});
document.addEventListener("htmx:after:swap", start);
start();
