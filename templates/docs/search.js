"use strict";
const rows = Array.from(document.querySelectorAll("tbody tr"));
const fields = Array.from(document.querySelectorAll(".filters [name]"));
const count = document.getElementById("count");
const providers = Array.from(document.querySelector("[name=provider]").options, (option) => option.value);
const tools = rows.map((row) => ({
  row,
  words: `${row.querySelector("a").textContent} ${row.cells[1].textContent} ${row.dataset.more || ""}`.toLowerCase(),
  statuses: Array.from(row.cells).slice(2).map((cell) => cell.className),
  strict: Array.from(row.cells).slice(2).map((cell) => "strict" in cell.dataset),
}));
function fits(tool, wanted) {
  const seen = wanted.provider ? [tool.statuses[providers.indexOf(wanted.provider) - 1]] : tool.statuses;
  const strict = wanted.provider ? [tool.strict[providers.indexOf(wanted.provider) - 1]] : tool.strict;
  return wanted.q.split(/\s+/).every((word) => tool.words.includes(word))
    && (!wanted.risk || tool.row.dataset.risk === wanted.risk)
    && (!wanted.strict || strict.includes(true) === (wanted.strict === "yes"))
    && (!wanted.deprecated || ("deprecated" in tool.row.dataset) === (wanted.deprecated === "yes"))
    && (wanted.status ? seen.includes(wanted.status) : !wanted.provider || seen[0] !== "not-offered");
}
function show() {
  const wanted = Object.fromEntries(fields.map((field) => [field.name, field.value.trim().toLowerCase()]));
  let shown = 0;
  for (const tool of tools) {
    const hidden = !fits(tool, wanted);
    if (tool.row.hidden !== hidden) tool.row.hidden = hidden;
    shown += !hidden;
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
document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
document.querySelector(".filters").hidden = false;
show();
