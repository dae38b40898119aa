// A Vega-Lite chart in the colours of the page, without eval: expressions go through Vega's interpreter.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function colours() {
  return Object.fromEntries(["soft", "line", "ranking", "ideal", "good", "bad", "accent"].map((name) => [name, colour(name)]));
}

function config() {
  const axis = { labelColor: colour("soft"), titleColor: colour("soft"), gridColor: colour("line"), domainColor: colour("line"), tickColor: colour("line"), labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  const font = getComputedStyle(document.body).fontFamily;
  return { background: null, font, axis, legend: { labelColor: colour("ink"), titleColor: colour("soft"), labelFontSize: 12 }, view: { stroke: null } };
}

function tip(element) {
  let shown;
  return (handler, event, item, value) => {
    shown?.remove();
    if (value === null || value === undefined || value === "") return;
    shown = document.createElement("div");
    shown.className = "tip";
    shown.textContent = typeof value === "object" ? Object.values(value).join("\n") : value;
    element.append(shown);
    shown.style.left = `${Math.min(event.clientX + 12, innerWidth - 240)}px`;
    shown.style.top = `${event.clientY + 12}px`;
  };
}

// Draws a specification in an element; gives the view, whose signals a screen may listen to.
export async function draw(element, specification, renderer = "svg") {
  const compiled = vegaLite.compile({ ...specification, config: { ...config(), ...specification.config } }).spec;
  const runtime = vega.parse(compiled, null, { ast: true });
  const view = new vega.View(runtime, { expr: vegaInterpreter.expressionInterpreter, renderer, container: element, hover: true });
  view.tooltip(tip(element));
  await view.runAsync();
  return view;
}
