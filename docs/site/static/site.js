// What can be scrolled sideways can be scrolled by keys, too.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre, .table-wrapper")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
});
