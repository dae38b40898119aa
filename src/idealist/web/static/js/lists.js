// Lines between the places of each document in two lists, and what every rank adds in both.

import { colours, draw } from "./chart.js";

const place = document.getElementById("two-lists");
const SVG = "http://www.w3.org/2000/svg";

// A line from each document of the left list to the same one on the right, where both stand beside each other.
function link() {
  const drawing = place.querySelector(".links");
  drawing.replaceChildren();
  const [left, right] = place.querySelectorAll(".listed");
  const origin = place.getBoundingClientRect();
  if (left.getBoundingClientRect().right > right.getBoundingClientRect().left) return;
  drawing.setAttribute("width", origin.width);
  drawing.setAttribute("height", origin.height);
  const targets = new Map([...right.children].map((item) => [item.dataset.document, item]));
  for (const item of left.children) {
    const target = targets.get(item.dataset.document);
    if (!target || !item.dataset.document) continue;
    const [from, to] = [item.getBoundingClientRect(), target.getBoundingClientRect()];
    const [x, y] = [from.right - origin.left, from.top + from.height / 2 - origin.top];
    const [u, v] = [to.left - origin.left, to.top + to.height / 2 - origin.top];
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", `M${x},${y} C${(x + u) / 2},${y} ${(x + u) / 2},${v} ${u},${v}`);
    line.setAttribute("class", target.querySelector(".up") ? "up" : target.querySelector(".down") ? "down" : "");
    line.dataset.document = item.dataset.document;
    drawing.append(line);
  }
}

// The same document in both lists, and the line between, stand out together.
function point(document) {
  for (const item of place.querySelectorAll("[data-document]")) item.classList.toggle("pointed", item.dataset.document === document);
}

function specification(element, rows) {
  const { ranking, ideal, soft } = colours();
  const names = { baseline: element.dataset.baseline, system: element.dataset.system, ideal: element.dataset.ideal };
  const order = [names.baseline, names.system, names.ideal];
  const values = rows.map((row) => ({ ...row, list: names[row.list], tip: `${names[row.list]}\n${element.dataset.rank} ${row.rank}: ${row.document}\n${row.value.toFixed(4)}` }));
  return {
    width: Math.max(240, element.clientWidth - 70), height: 190, autosize: { type: "fit", contains: "padding" }, data: { values },
    mark: { type: "bar", cornerRadiusEnd: 2 },
    encoding: {
      x: { field: "rank", type: "ordinal", axis: { labelAngle: 0, title: element.dataset.rank, grid: false } },
      xOffset: { field: "list", sort: order },
      y: { field: "value", type: "quantitative", axis: { title: element.dataset.adds, tickCount: 4 } },
      color: { field: "list", type: "nominal", scale: { domain: order, range: [soft, ranking, ideal] }, legend: { title: null, orient: "top" } },
      tooltip: { field: "tip" },
    },
  };
}

if (place) {
  link();
  addEventListener("resize", link);
  for (const name of ["mouseover", "focusin"]) place.addEventListener(name, (event) => point(event.target.closest("li")?.dataset.document));
  for (const name of ["mouseleave", "focusout"]) place.addEventListener(name, () => point(undefined));
  const element = document.getElementById("build");
  if (element) {
    draw(element, specification(element, JSON.parse(document.getElementById("build-data").textContent)));
  }
}
