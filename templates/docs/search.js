"use strict";
const rows = Array.from(document.querySelectorAll("tbody tr"));
const fields = Array.from(document.querySelectorAll(".filters [name]"));
const count = document.getElementById("count");
const words = new Map(rows.map((row) => [row, row.dataset.search]));
function show() {
  const wanted = Object.fromEntries(fields.map((field) => [field.name, field.value.trim().toLowerCase()]));
  let shown = 0;
  for (const row of rows) {
    const text = words.get(row);
    const fits = wanted.q.split(/\s+/).every((word) => text.includes(word))
      && (!wanted.risk || row.dataset.risk === wanted.risk)
      && (!wanted.status || (wanted.provider ? row.dataset[wanted.provider.replace(/_(.)/g, (_, c) => c.toUpperCase())] === wanted.status
        : row.dataset.all.includes(wanted.status)))
      && (!wanted.provider || wanted.status || row.dataset[wanted.provider.replace(/_(.)/g, (_, c) => c.toUpperCase())] !== "not-offered");
    row.hidden = !fits;
    shown += fits;
  }
  count.textContent = `${shown} of ${rows.length} tools`;
  const kept = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value)).toString();
  history.replaceState(null, "", kept ? `#${kept}` : location.pathname);
}
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const field = fields.find((one) => one.name === name);
  if (field) field.value = value;
}
for (const field of fields) field.addEventListener("input", show);
document.querySelector(".filters").hidden = false;
show();
