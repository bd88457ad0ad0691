/** One hidden field. */
export interface Field {
  readonly name: string
  readonly value: string
}

/**
 * The fields of a form from which a parser made this body, with the names that `express.urlencoded()` reads: `a` twice for a list,
 * `a[b]` for a member. What would be read differently is another body, so its approval does not count.
 *
 * @returns undefined for a body that no form has sent.
 */
export function fieldsOf(body: unknown): readonly Field[] | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Uint8Array) return undefined
  return Object.entries(body).flatMap(([name, value]) => fieldsFor(name, value, true))
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
