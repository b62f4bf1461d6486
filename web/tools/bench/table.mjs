// What was measured, and the one table in which it is printed.

/** @param {number[]} values @param {number} part */
function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** @param {number} value */
const shown = (value) => (value >= 100 || Number.isInteger(value) ? Math.round(value).toString() : value.toFixed(1));

/** Rows by heading and name; a row has the values of each column. */
export class Table {
  /** @type {Map<string, Map<string, number[][]>>} */
  #groups = new Map();

  /** @param {string[]} columns */
  constructor(columns) {
    this.columns = columns;
  }

  /**
   * @param {number} column
   * @param {string} group
   * @param {string} row
   * @param {number[]} values
   */
  add(column, group, row, ...values) {
    const rows = this.#groups.get(group) ?? new Map();
    this.#groups.set(group, rows);
    const cells = rows.get(row) ?? this.columns.map(() => []);
    cells[column]?.push(...values);
    rows.set(row, cells);
  }

  /** Prints medians, and behind a slash the 95th parts of a hundred where there are several values. */
  toString() {
    const cell = (/** @type {number[]} */ values) => {
      if (values.length === 0) return "-";
      const median = shown(quantile(values, 0.5));
      return values.length === 1 ? median : `${median} / ${shown(quantile(values, 0.95))}`;
    };
    const lines = [["", ...this.columns]];
    for (const [group, rows] of this.#groups) {
      lines.push([group]);
      for (const [row, cells] of rows) lines.push([`  ${row}`, ...cells.map(cell)]);
    }
    const widths = this.columns.map((_, i) => Math.max(...lines.map((line) => (line[i + 1] ?? "").length)) + 2);
    const first = Math.max(...lines.map((line) => (line[0] ?? "").length));
    return lines
      .map(([head, ...cells]) =>
        ((head ?? "").padEnd(first) + cells.map((c, i) => c.padStart(widths[i] ?? 0)).join("")).trimEnd(),
      )
      .join("\n");
  }
}
