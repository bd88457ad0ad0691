/** The lines of a table, aligned like the formatter does. The first row is the header. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const [titles = [], ...body] = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', String.raw`\|`)))
  const widths = titles.map((title, column) =>
    Math.max(...[title, ...body.map((cells) => cells[column] ?? '')].map((cell) => cell.length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)]
}
