// Says politely what a swap brought, and plainly when a request failed; the page stays as it was.

const live = document.getElementById("live");
const trouble = document.getElementById("trouble");
let timer = 0;
let last = 0;

// While steps play, every second and a half is enough; the latest one is said.
function say(text) {
  clearTimeout(timer);
  timer = setTimeout(() => { last = Date.now(); live.textContent = text; }, Math.max(60, 1500 - (Date.now() - last)));
}

function complain(text) {
  trouble.querySelector("p").textContent = text;
  trouble.hidden = false;
}

// The server's error page or part names its message with data-message.
function messageOf(html, status) {
  const page = new DOMParser().parseFromString(html || "", "text/html");
  const words = [...page.querySelectorAll("[data-message]")].map((part) => part.textContent.trim()).filter(Boolean);
  return words.join(" ") || `The server answered with an error (${status}). Nothing was changed here; try again.`;
}

document.addEventListener("htmx:after:swap", () => {
  const part = document.querySelector("#step[data-say], #progress[data-say], #trace[data-say]");
  if (part && part.dataset.say !== live.textContent) say(part.dataset.say);
});
// The address must not move to what could not be had (htmx pushes it even when nothing is swapped).
document.addEventListener("htmx:before:history:update", (event) => {
  if (event.detail.response?.status >= 400) event.preventDefault();
});
document.addEventListener("htmx:before:request", () => { trouble.hidden = true; });
document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  if (ctx.response.status === 422 && ctx.sourceElement?.matches?.(".trace-form, .decode-form")) return; // told in its place
  complain(messageOf(ctx.text, ctx.response.status));
});
document.addEventListener("htmx:error", ({ detail }) => {
  if (detail.ctx && !detail.ctx.response) complain("The server cannot be reached. This page stays as it is; try again.");
});
