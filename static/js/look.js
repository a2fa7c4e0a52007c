// Light or dark, presentation, tabs, help, dismissing. Loaded before the first paint, so that nothing flashes.
(() => {
  const root = document.documentElement;
  const keep = (name, value) => { try { value ? localStorage.setItem(name, value) : localStorage.removeItem(name); } catch { /* storage may be closed */ } };
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

  root.classList.add("js");
  if (kept("theme")) root.dataset.theme = kept("theme");
  if (kept("present")) root.dataset.present = "";

  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

  const actions = {
    theme() {
      root.dataset.theme = dark() ? "light" : "dark";
      keep("theme", root.dataset.theme);
      mark();
    },
    present() {
      const on = !("present" in root.dataset);
      if (on) root.dataset.present = ""; else delete root.dataset.present;
      keep("present", on ? "yes" : "");
      mark();
    },
    help() {
      const dialog = document.getElementById("help");
      if (dialog.open) dialog.close(); else dialog.showModal();
    },
    dismiss() { document.getElementById("trouble").hidden = true; },
  };

  // What the buttons say follows from the state.
  function mark() {
    const word = document.querySelector("[data-do=theme] .word");
    const name = dark() ? "light" : "dark";
    if (word.textContent !== name) word.textContent = name;
    document.querySelector(".looks [data-do=present]").setAttribute("aria-pressed", String("present" in root.dataset));
    for (const tab of document.querySelectorAll(".tabs button")) tab.setAttribute("aria-pressed", String(tab.dataset.tab === (root.dataset.tab || "rows")));
  }

  document.addEventListener("click", (event) => {
    const tab = event.target.closest("button[data-tab]");
    if (tab) { root.dataset.tab = tab.dataset.tab; mark(); }
    const button = event.target.closest("[data-do]");
    if (button && actions[button.dataset.do]) { event.preventDefault(); actions[button.dataset.do](); }
    if (event.target.id === "help") event.target.close(); // the backdrop
  });
  document.addEventListener("look", (event) => actions[event.detail]?.());
  document.addEventListener("DOMContentLoaded", mark);
  document.addEventListener("htmx:after:swap", mark); // progress may have given way to new tabs
})();
