// Keys: ? help, D dark, F presentation, Escape out of it; in the lab → or Space next, ← back, Home first, End last, P play.
// Never while a field has the focus, with a modifier, or where the focused element itself uses the key.

const LINKS = { ArrowRight: "next", " ": "next", ArrowLeft: "back", Home: "first", End: "last" };
const LOOKS = { "?": "help", d: "theme", f: "present" };

function uses(element, key) {
  if (!element || element === document.body) return false;
  if (element.closest("input, textarea, select, [contenteditable]")) return true;
  if (key === " ") return Boolean(element.closest("button, summary"));
  return (key === "Home" || key === "End") && Boolean(element.closest(".scroll")); // it scrolls there
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.shiftKey && key !== "?") return;
  if (uses(event.target, key)) return;
  if (document.querySelector("dialog[open]") && key !== "?") return;

  if (key === "Escape" && "present" in document.documentElement.dataset) {
    document.dispatchEvent(new CustomEvent("look", { detail: "present" }));
  } else if (LOOKS[key]) {
    event.preventDefault();
    if (!event.repeat) document.dispatchEvent(new CustomEvent("look", { detail: LOOKS[key] }));
  } else if (key === "p") {
    event.preventDefault();
    if (!event.repeat) document.getElementById("play")?.click();
  } else if (LINKS[key]) {
    const link = document.getElementById(LINKS[key]);
    if (!link) return;
    event.preventDefault();
    const held = event.repeat && document.querySelector("#lab[data-busy]"); // a held key waits, single presses are kept
    if (link.hasAttribute("href") && !held) link.click();
  }
});
