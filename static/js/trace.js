// Goes to another step with the text that stands there; copies the ids of the traced text, and says that it did.

document.addEventListener("submit", (event) => {
  const { target, submitter } = event;
  if (submitter?.name !== "go") return;
  event.stopPropagation(); // a page of its own, with the step in its address: nothing for htmx to swap
  const step = submitter.value || target.elements.as_of.value;
  if (step) target.action = `${location.pathname}?step=${Number(step)}`;
}, true);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  let done = true;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch { // no clipboard on plain http: select them instead, the rest is a key press
    done = false;
    source.closest("details").open = true;
    getSelection().selectAllChildren(source);
  }
  button.textContent = done ? "Copied" : "Selected; press Ctrl+C";
  document.getElementById("live").textContent = done ? "The ids are copied." : "The ids are selected.";
  setTimeout(() => { button.textContent = "Copy ids"; }, 2500);
});
