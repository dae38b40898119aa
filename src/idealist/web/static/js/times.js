// Times in the zone and the words of the reader.

export function localTime(moment) {
  return new Date(moment).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}

export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.title = time.textContent;
    time.textContent = localTime(time.dateTime);
  }
}
