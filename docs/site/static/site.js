// What can be scrolled sideways can be scrolled by keys, too.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre, .table-wrapper")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
});

// A pasted message holds names of the reader's own script. Sphinx shows pages with all the words;
// here words that are on no page are left out first.
addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const find = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const known = [...words].filter((word) => find(new Set([word]), excluded).length > 0);
    return find(new Set(known), excluded);
  };
});
