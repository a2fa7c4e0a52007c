// Going from step to step: quick presses, the browser's back and forward, and what lies outside the swapped part.

const lab = () => document.getElementById("lab"); // htmx may replace the whole page when history leads to another one
const shown = () => document.getElementById("step")?.dataset.step;
const MOST = 20; // presses that wait for their turn
const seen = () => { // what a list belongs to
  const { searchParams } = new URL(location.href);
  return [shown(), searchParams.get("order") ?? "changed", searchParams.get("counts") ?? "before"].join();
};
let busy = null; // the request that is under way
let waiting = { id: "", presses: 0 };

const isStep = (ctx) => ctx?.target?.id === "lab";

// A press while a step is on its way is done when that step is there: its link leads on from there, not from here.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#next, #back");
  if (!link || !busy || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  waiting = { id: link.id, presses: link.id === waiting.id ? Math.min(waiting.presses + 1, MOST) : 1 };
}, true);

// A step's links have no htmx attributes of their own: those are set up anew whenever an address in them changes, which
// is dozens of them with every step. `data-swap` says what a link changes: the step, how steps are seen, or one list.
function manner(swap) {
  const whole = { source: lab(), target: lab(), swap: "innerMorph" };
  if (swap === "step") return { ...whole, push: "true" };
  if (swap === "view") return { ...whole, replace: "true" };
  const list = document.getElementById(swap);
  return { source: list, target: list, select: `#${swap}`, swap: "outerMorph", replace: "true" };
}

// A list's link knows the rest of the address as it was when the list was drawn; since then another list may have been
// searched or turned by itself. So of such a link only what it sets itself counts.
function address(link) {
  if (!link.dataset.sets) return link.getAttribute("href");
  const wanted = new URL(link.href), here = new URL(location.href);
  for (const name of link.dataset.sets.split(" ")) {
    const value = wanted.searchParams.get(name);
    if (value === null) here.searchParams.delete(name); else here.searchParams.set(name, value);
  }
  return here.pathname + here.search;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-swap][href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  htmx.ajax("GET", address(link), manner(link.dataset.swap));
});

document.addEventListener("htmx:before:request", ({ detail }) => {
  detail.ctx.seen = seen();
  if (!isStep(detail.ctx)) return;
  busy = detail.ctx;
  lab().dataset.busy = "";
});

// A list of a step that is not shown any more, or not in that manner, comes too late.
document.addEventListener("htmx:after:request", (event) => {
  const { ctx } = event.detail;
  if (ctx.target?.closest?.("#step") && ctx.seen !== seen()) event.preventDefault();
});

document.addEventListener("htmx:finally:request", ({ detail }) => {
  if (busy !== detail.ctx) return;
  busy = null;
  delete lab()?.dataset.busy;
  if (!waiting.presses) return;
  const link = document.getElementById(waiting.id);
  if (detail.ctx.status !== "swapped" || !link?.hasAttribute("href")) waiting = { id: "", presses: 0 };
  else requestAnimationFrame(() => { // let this step be seen first
    waiting.presses -= 1;
    link.click();
  });
});

// The browser's back is a step back: fetch that step's part alone and morph, so that focus and scroll stay.
document.addEventListener("htmx:before:history:restore", (event) => {
  if (!lab()) return;
  const start = lab().dataset.start, run = start.replace(/0$/, ""); // "/runs/…/steps/"
  const { pathname, search } = new URL(event.detail.path, location.href);
  const path = pathname === "/" ? start : pathname;
  if (!path.startsWith(run)) return;
  event.preventDefault();
  waiting = { id: "", presses: 0 };
  htmx.ajax("GET", path + search, { source: lab(), target: lab(), swap: "innerMorph" });
});

// htmx takes over such a traversal; without this the browser would move the focus to the body and scroll.
globalThis.navigation?.addEventListener("navigate", (event) => {
  if (event.navigationType === "traverse" && event.canIntercept && !event.hashChange) {
    event.intercept({ focusReset: "manual", scroll: "manual" });
  }
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const step = document.getElementById("step");
  if (!step) return;
  document.title = step.dataset.title;
  for (const fact of document.querySelectorAll("[data-fact][hidden]")) { // the page came before the corpus was counted
    fact.firstElementChild.textContent = step.dataset[fact.dataset.fact];
    fact.hidden = false;
  }
  // After a jump the keys step again, as whoever jumped will want them to.
  if (document.activeElement?.id === "go-step") document.getElementById("next")?.focus({ preventScroll: true });
  document.getElementById("nav-trace")?.setAttribute("href", step.dataset.trace);
  if (!isStep(ctx)) return;
  // What stands in a search box, typed while the step was on its way or before it, is looked for in this step too.
  for (const box of step.querySelectorAll("input[type=search]")) {
    if (box.value !== box.defaultValue) box.dispatchEvent(new Event("input", { bubbles: true }));
  }
});
