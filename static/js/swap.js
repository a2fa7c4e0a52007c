// What htmx need not look at when a new step takes the place of the last one.

// What is the same stays as it is, without a look at each attribute. A line of a list is the same or another one: to
// find out which of its chips could stay takes longer than new chips do. Where the focus is, it stays.
htmx.registerExtension("lines", {
  htmx_before_morph_node(node, { newNode }) {
    if (node.isEqualNode(newNode)) return false;
    if (node.localName !== "tr" || node.contains(document.activeElement)) return true;
    if (newNode.className) node.className = newNode.className; else node.removeAttribute("class"); // beside its id
    node.replaceChildren(...newNode.childNodes);
    return false;
  },
});

// With most steps comes nothing that htmx has to set up; its search for such elements takes a fifth of the swap.
document.addEventListener("htmx:before:process", (event) => {
  const { target } = event;
  if (target.id === "step" && !target.querySelector(":is([data-hx-get], [data-hx-post]):not([data-htmx-powered])")) event.preventDefault();
});
