/** Rows of one statement: SQLite takes at most 32,766 values (sqlite.org/limits.html, item 9). */
const step = 500

/** Inserts many rows, some at a time. */
export async function insertMany<Row>(
  rows: readonly Row[],
  insert: (batch: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += step) await insert(rows.slice(start, start + step))
}
