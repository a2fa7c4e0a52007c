// Play: press "Merge next" again and again at the chosen speed, until the end or until somebody steps in.

const button = () => document.getElementById("play");
let timer = 0;
let playing = false;

const next = () => document.querySelector("#next[href]");
const pause = () => Number(document.getElementById("speed")?.value) || 1000;

function show() {
  const play = button();
  if (!play) return;
  if (play.getAttribute("aria-pressed") !== String(playing)) { // written only when it changes: it costs a layout
    play.setAttribute("aria-pressed", String(playing));
    play.querySelector(".mark").textContent = playing ? "❚❚" : "▷";
    play.querySelector(".word").textContent = playing ? "Pause" : "Play";
  }
  play.disabled = !playing && !next();
}

function stop() {
  playing = false;
  clearTimeout(timer);
  show();
}

function plan() {
  clearTimeout(timer);
  if (!playing) return;
  if (!next()) { if (document.getElementById("step")) stop(); return; } // while progress is shown, wait for the step
  timer = setTimeout(() => next()?.click(), pause());
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#play")) {
    playing = !playing;
    show();
    if (playing) next()?.click(); else stop();
  } else if (playing && event.isTrusted && event.target.closest("#back, #first, #last, #go, .merges a, #edit")) stop();
});
document.addEventListener("keydown", (event) => { if (["ArrowLeft", "Home", "Escape"].includes(event.key)) stop(); });
document.addEventListener("change", (event) => { if (event.target.id === "speed") plan(); });
document.addEventListener("htmx:before:history:restore", stop);
document.addEventListener("htmx:response:error", stop);
document.addEventListener("htmx:error", stop);
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => { show(); if (ctx.target?.id === "lab") plan(); });
show();
