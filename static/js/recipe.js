// The recipe editor: whoever fills in a corpus field means that one; a custom pattern chooses "custom".
// What is said of the size keeps up with it. A file that is too large is refused before it is sent.

const SOURCES = { corpus: "text", sample: "sample", file: "file" };

function choose({ target }) {
  const form = target.closest("#recipe form");
  if (!form) return;
  const radio = SOURCES[target.name] && form.querySelector(`input[name=source][value=${SOURCES[target.name]}]`);
  if (radio) radio.checked = true;
  // A size that fits the old corpus would end another one after a few merges; it is emptied where everybody sees it.
  const size = form.elements.vocab_size;
  if ((target.name === "sample" || target.name === "file") && size.value === size.defaultValue) size.value = "";
  if (target.name === "custom" && target.value) form.elements.pattern.value = "custom";
}

// How many merges a size leaves room for, as the server says it of what it was sent.
function reckon({ target }) {
  const told = document.getElementById("vocab-merges");
  if (!told || !["vocab_size", "special_tokens", "sample", "file"].includes(target.name)) return;
  const { vocab_size: size, special_tokens: specials } = told.closest("form").elements;
  const merges = Number(size.value) - 256 - specials.value.split("\n").filter(Boolean).length;
  told.textContent = /^\s*\d+\s*$/.test(size.value) ? `, ${Math.max(merges, 0).toLocaleString("en")} here` : "";
}

function weigh({ target }) {
  if (target.name !== "file" || !target.dataset.largest) return;
  const file = target.files[0], most = Number(target.dataset.largest), inMB = (size) => (size / 1e6).toFixed(1);
  const tooLarge = file?.size > most;
  target.setCustomValidity(tooLarge ? `The file has ${inMB(file.size)} MB; at most ${inMB(most)} MB are taken.` : "");
  if (tooLarge) target.reportValidity();
}

// A large file takes a while; a second press would send it a second time.
function sending({ target }) {
  if (!target.closest("#recipe")) return;
  const button = target.querySelector(".send button");
  setTimeout(() => { // the button that was pressed is part of what is sent, as long as it is not disabled
    button.disabled = true;
    button.textContent = "Sending…";
  });
}

function sendAgain({ persisted }) { // the browser's back shows the page as it was left
  const button = persisted && document.querySelector("#recipe .send button");
  if (!button) return;
  button.disabled = false;
  button.textContent = "Make the run";
}

function close() {
  const recipe = document.getElementById("recipe");
  recipe.replaceChildren();
  recipe.className = "";
  document.getElementById("edit").focus();
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, choose);
  document.addEventListener(kind, reckon);
}
document.addEventListener("change", weigh);
document.addEventListener("submit", sending);
addEventListener("pageshow", sendAgain);

// In the lab the editor opens above the step and closes again; on its own page "Close" is a link.
document.addEventListener("click", (event) => {
  if (!document.getElementById("edit")) return;
  const open = document.querySelector("#recipe form");
  if (!open || !event.target.closest("#edit, #recipe [data-close]")) return;
  event.preventDefault();
  event.stopPropagation();
  close();
}, true);
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.sourceElement?.id === "edit") document.getElementById("field-corpus")?.focus();
});
