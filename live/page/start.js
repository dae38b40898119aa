// On every page of a site that was built with the runtime: what can run gets its buttons. A site without the runtime has an
// empty file in the place of this one.
(() => {
  const folder = new URL(".", document.currentScript.src);
  // Browsers run neither modules nor workers of a page that was opened as a file.
  if (location.protocol === "file:") return;

  // Pages whose examples run with what the browser has.
  const runnable = [
    "index", "explain", "measures", "concepts/choices", "concepts/ndcg", "concepts/raising-ndcg", "concepts/ties-and-gaps",
    "guides/kaggle", "guides/recommender", "zh/index", "zh/concepts/choices", "zh/concepts/ndcg", "zh/concepts/raising-ndcg",
    "zh/concepts/ties-and-gaps",
  ];
  const root = new URL("..", folder).pathname;
  const page = location.pathname.slice(root.length).replace(/\.html$/, "") || "index";

  function start() {
    const form = document.getElementById("live");
    if (!form && !runnable.includes(page)) return;
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("live.css", folder);
    document.head.append(style);
    import(new URL(form ? "live.js" : "run.js", folder));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
