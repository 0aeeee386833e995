// Sorts and narrows the tables of students. Everything else works without it.

const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

/** What a cell is sorted by: its key, else its text. */
const keyOf = (row, column, kind) => {
  const cell = row.cells[column];
  const key = cell.dataset.k ?? cell.textContent.trim();
  return kind === "number" ? Number(key) : key;
};

const sortBy = (table, head, column) => {
  const kind = head.dataset.sort;
  const down = head.getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [keyOf(row, column, kind), row]);
  const compare = kind === "number" ? (a, b) => a - b : (a, b) => collator.compare(a, b);
  rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
  for (const other of table.tHead.rows[0].cells) {
    other.removeAttribute("aria-sort");
  }
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  body.append(...rows.map(([, row]) => row));
};

const makeSortable = (table) => {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head, column));
    head.append(button);
  });
};

const makeNarrow = (form, table) => {
  const [find, at, count] = form.querySelectorAll("input, select, .count");
  const rows = [...table.tBodies[0].rows];
  const plain = (text) => text.normalize("NFKC").toLocaleLowerCase();
  const names = new Map(
    rows.map((row) => [row, plain(`${row.cells[0].textContent} ${row.cells[1].textContent}`)]),
  );
  const narrow = () => {
    const wanted = plain(find.value.trim());
    let shown = 0;
    for (const row of rows) {
      row.hidden =
        !names.get(row).includes(wanted) || (at.value !== "" && row.dataset.at !== at.value);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = count.dataset.said
      .replace("{some}", shown)
      .replace("{all}", rows.length);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  find.addEventListener("input", narrow);
  at.addEventListener("change", narrow);
  form.hidden = false;
  narrow();
};

for (const section of document.querySelectorAll(".students")) {
  const table = section.querySelector("table");
  makeSortable(table);
  makeNarrow(section.querySelector(".filter"), table);
}

// A student's page begins at its top, and the keyboard goes on from there.
const show = () => {
  const sheet = document.querySelector(".sheet:target");
  if (sheet) {
    sheet.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
};
window.addEventListener("hashchange", show);
