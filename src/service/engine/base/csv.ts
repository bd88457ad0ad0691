/**
 * A record of a CSV file (RFC 4180). Every cell is quoted, and nothing that a spreadsheet would calculate is left in it. No other
 * function writes CSV.
 */
export const csvRecord = (values: readonly (string | number | boolean | null | undefined)[]): string =>
  `${values.map((value) => quotedCell(String(value ?? ''))).join(',')}\r\n`

/**
 * The first record of a file that people download. The mark before it says that the file is UTF-8: spreadsheets otherwise take it for
 * the encoding of the system, in which Müller is MÃ¼ller.
 */
export const csvHead = (columns: readonly string[]): string => `\ufeff${csvRecord(columns)}`

const quotedCell = (text: string): string => `"${withoutFormulas(text).replaceAll('"', '""')}"`

/**
 * Spreadsheets calculate cells that begin with a formula, even between quotes. An apostrophe in front of it makes them text. Which
 * character separates cells depends on the language of the spreadsheet and on the person who opens the file, and quotes protect
 * only from the one that stands right before them. So whatever follows a possible separator is treated as a cell of its own.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const withoutFormulas = (text: string): string => text.replace(formulas, "$1'$2")

/**
 * Control characters contain tabs, line breaks, and the separators of older formats. Blanks, invisible characters and quotes may
 * precede the formula. No character of these is also a separator: otherwise, long runs of one would take quadratic time. Input
 * methods of East Asian languages write the first character of a formula in full width.
 */
const formulas = /((?:^|[,;|\p{Cc}\u2028\u2029])[\p{Zs}\p{Cf}"]*)([=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gu
