// Going from step to step: quick presses, the browser's back and forward, and what lies outside the swapped part.

const lab = document.getElementById("lab");
let busy = null; // the request that is under way
let waiting = null; // the id of the link that was pressed meanwhile

const isStep = (ctx) => ctx?.target === lab;

// A press while a step is on its way is done when that step is there: its link leads on from there, not from here.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#next, #back");
  if (!link || !busy || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  waiting = link.id;
}, true);

document.addEventListener("htmx:before:request", ({ detail }) => { if (isStep(detail.ctx)) busy = detail.ctx; });
document.addEventListener("htmx:finally:request", ({ detail }) => {
  if (!isStep(detail.ctx) || busy !== detail.ctx) return;
  busy = null;
  const link = waiting && document.getElementById(waiting);
  waiting = null;
  if (link?.hasAttribute("href") && detail.ctx.status === "swapped") requestAnimationFrame(() => link.click());
});

// The browser's back is a step back: fetch that step's part alone and morph, so that focus and scroll stay.
document.addEventListener("htmx:before:history:restore", (event) => {
  const run = lab.dataset.start.replace(/\/steps\/0$/, "/");
  const path = event.detail.path;
  const address = path === "/" || path === "" ? lab.dataset.start : path;
  if (!address.startsWith(run)) return;
  event.preventDefault();
  htmx.ajax("GET", address, { source: lab, target: lab, swap: "innerMorph" });
});

document.addEventListener("htmx:after:swap", () => {
  const step = document.getElementById("step");
  if (!step) return;
  document.title = step.dataset.title;
  document.getElementById("nav-trace")?.setAttribute("href", step.dataset.trace);
});
