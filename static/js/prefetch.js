// The next steps are fetched before they are asked for and kept here; the click then costs no round trip.
// When a kept step is used, the server is asked again a little later: so it learns of the visit. Neither that nor the
// next prefetch runs while the step is being painted, on a small machine they would slow it down.

const AHEAD = 2; // steps, so that quick presses find theirs too
const LIMIT = 6;
const REST = 100; // ms after a step's frame, before the next one is fetched
const VISIT = 400; // ms after which a step counts as seen
let visit = { address: "", timer: 0 };
const kept = new Map(); // address → promise of a Response

function headers(purpose) {
  const all = { "HX-Request": "true", "HX-Target": "div#lab", "HX-Current-URL": location.href, "HX-Request-Type": "partial", Accept: "text/html, text/event-stream" };
  if (purpose) all.Purpose = purpose;
  return all;
}

async function ask(address, purpose) {
  const response = await fetch(address, { headers: headers(purpose), credentials: "same-origin", priority: "low", keepalive: !purpose }); // a visit counts even when the page is left
  if (!response.ok || response.redirected) throw new Error(String(response.status));
  return response.text();
}

// Read into elements before it is asked for too: that is a tenth of what a click costs.
async function fetchAhead(address) {
  const text = await ask(address, "prefetch");
  const page = new DOMParser().parseFromString(`<template>${text}</template>`, "text/html");
  const fragment = page.querySelector("template").content;
  const step = fragment.querySelector("#step");
  if (!step) throw new Error("not ready"); // progress is shown live, never kept
  return { fragment, next: step.dataset.prefetch };
}

function prefetch(address, ahead = AHEAD) {
  if (!address || !ahead) return;
  const answer = kept.get(address) ?? fetchAhead(address);
  kept.set(address, answer);
  if (kept.size > LIMIT) kept.delete(kept.keys().next().value);
  answer.then(({ next }) => prefetch(next, ahead - 1), () => kept.delete(address));
}

function look() {
  if (document.querySelector("#controls[data-hx-get]")) return; // in work: what is said of it would be old by then
  prefetch(document.querySelector("#step[data-prefetch]")?.dataset.prefetch);
}

function forget() {
  clearTimeout(visit.timer);
  visit = { address: "", timer: 0 };
}

function tell() {
  if (visit.address) ask(visit.address).catch(() => {});
  forget();
}

function seen(address) {
  forget();
  visit = { address, timer: setTimeout(tell, VISIT) };
}

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.target?.id !== "lab") return; // one list of a step; what is kept are whole ones
  forget(); // told after the step that is asked for now, it would pass for the later one
  if (ctx.request.method !== "GET") kept.clear(); // a run is stopped or goes on, of which those pages do not know
  const answer = kept.get(ctx.request.action);
  if (!answer) return;
  const send = ctx.fetch;
  const address = ctx.request.action;
  kept.delete(address);
  ctx.fetch = async (...request) => {
    const found = await answer.catch(() => null);
    if (!found) return send(...request);
    seen(address);
    ctx.fragment = found.fragment;
    // No real Response: its text comes some tasks later, with a frame between that shows nothing new.
    return { status: 200, headers: new Headers(), text: async () => "" };
  };
});
document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
  if (ctx.fragment) tasks[0].fragment = ctx.fragment;
});
document.addEventListener("htmx:after:swap", () => requestAnimationFrame(() => setTimeout(look, REST)));
addEventListener("pagehide", tell);
look();
