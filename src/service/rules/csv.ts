/** A record of a CSV file (RFC 4180). */
export const csvRecord = (values: readonly (string | number | boolean | null | undefined)[]): string =>
  `${values.map((value) => csvCell(String(value ?? ''))).join(',')}\r\n`

/**
 * Spreadsheets calculate cells that begin with one of these, even between quotes. An apostrophe in front makes them text.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[=+\-@\t\r]/

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
