/** The characters that spreadsheets take for the separator of a file: by their language, by what they detect, or by choice. */
export const separators = [',', ';', '\t', '|'] as const

/**
 * The cells of a CSV file as a spreadsheet with this separator reads them. A cell is quoted if a quote stands at its beginning. What
 * follows the closing quote belongs to the cell too, as LibreOffice and Excel read it.
 */
export function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let [cell, isQuoted, isNew] = ['', false, true]
  const endCell = () => {
    row.push(cell)
    ;[cell, isNew] = ['', true]
  }
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!
    const isDoubled = isQuoted && character === '"' && text[index + 1] === '"'
    if (isDoubled) index += 1
    if (character === '"' && !isDoubled && (isQuoted || isNew)) isQuoted = !isQuoted
    else if (!isQuoted && character === separator) {
      endCell()
      continue
    } else if (!isQuoted && /[\r\n]/.test(character)) {
      if (character === '\r' && text[index + 1] === '\n') index += 1
      endCell()
      rows.push(row)
      row = []
      continue
    } else cell += character
    isNew = false
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}

/** The cells that a spreadsheet would calculate, with any of the separators. Blanks and quotes may precede a formula. */
export const calculatedCells = (text: string): string[] =>
  separators.flatMap((separator) =>
    cellsOf(text, separator)
      .flat()
      .filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell)),
  )

/** Cells that some spreadsheet calculates in a file without quotes. */
export const hostileCells: readonly string[] = [
  '=1+41',
  '+1+41',
  '-1+43',
  '@SUM(1,41)',
  '＝1+41',
  '＋1+41',
  '－1+43',
  '＠SUM(1,41)',
  ' =1+41',
  '\t=1+41',
  '\r=1+41',
  '\n=1+41',
  '"=1+41',
  '" =1+41',
  '""=1+41""',
  '\u00A0=1+41',
  '\uFEFF=1+41',
  ...separators.flatMap((separator) => [
    `Mallory${separator}=1+41${separator}x`,
    `Mallory${separator} =1+41${separator}x`,
    `Mallory${separator}"=1+41"${separator}x`,
    `Mallory"${separator}"=1+41"${separator}"x`,
    `Mallory${separator}" ""=1+41${separator}x`,
    `${separator}${separator}=1+41`,
  ]),
  ...['\n', '\r', '\r\n'].flatMap((line) => [`Mallory${line}=1+41`, `Mallory"${line}"=1+41`]),
]
