// Documents as raters see them. Texts are set as text and addresses are checked: both come from files.

function safe(address, schemes) {
  try {
    const url = new URL(address, location.href);
    return schemes.includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

export function documentCard(shown, rank) {
  const card = element("li", "document");
  if (rank) card.append(element("span", "rank", String(rank)));
  const image = shown.image && safe(shown.image, ["https:", "http:", "data:"]);
  if (image) {
    const picture = element("img", "picture");
    picture.src = image;
    picture.alt = "";
    picture.referrerPolicy = "no-referrer";
    card.append(picture);
  }
  const what = element("div", "what");
  const url = shown.url && safe(shown.url, ["https:", "http:"]);
  const title = element(url ? "a" : "span", "title", shown.title || shown.url || "");
  if (url) Object.assign(title, { href: url, target: "_blank", rel: "noopener noreferrer", tabIndex: -1 });
  what.append(title);
  if (shown.text) what.append(element("p", "text", shown.text));
  card.append(what);
  return card;
}

// Pictures of the items that come next are there when they are shown.
export function preload(item) {
  for (const shown of [...(item.left ?? []), ...(item.right ?? []), ...(item.documents ?? [])]) {
    const image = shown.image && safe(shown.image, ["https:", "http:"]);
    if (image) Object.assign(new Image(), { referrerPolicy: "no-referrer", src: image });
  }
}
