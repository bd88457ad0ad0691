/** One hidden field. */
export interface Field {
  readonly name: string
  readonly value: string
}

/**
 * The fields of a form from which a parser made this body, with the names that `express.urlencoded()` reads: `a` twice for a list,
 * `a[b]` for a member. What would be read differently is another body, so its approval does not count.
 *
 * @returns undefined for a body that no form has sent, or that a page could not send again as it was.
 */
export function fieldsOf(body: unknown): readonly Field[] | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Uint8Array) return undefined
  const fields = Object.entries(body).flatMap(([name, value]) => fieldsFor(name, value, true))
  return fields.every(isSentAgain) ? fields : undefined
}

/**
 * Whether a browser sends a hidden field as it stands in the page. It leaves out a field without a name, fills in `_charset_` itself, and
 * reads U+0000 as another character (HTML, "constructing the entry list" and "preprocessing the input stream").
 */
function isSentAgain({ name, value }: Field): boolean {
  if (name === '' || name.includes('\0') || value.includes('\0')) return false
  return name.toLowerCase() !== '_charset_' || value === 'UTF-8'
}

function fieldsFor(name: string, value: unknown, isTop = false): readonly Field[] {
  if (Array.isArray(value))
    return value.flatMap((each: unknown, index) => fieldsFor(nameInList(name, value, index, isTop), each))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([member, each]) => fieldsFor(`${name}[${member}]`, each))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ name, value: String(value) }]
    : []
}

/** The simple parser knows lists only by names that come twice; one entry alone, and lists of objects, come from the other one. */
function nameInList(name: string, list: readonly unknown[], index: number, isTop: boolean): string {
  if (list.some((each) => typeof each === 'object')) return `${name}[${index}]`
  return isTop && list.length > 1 ? name : `${name}[]`
}
