/**
 * Writes a value as one text, for comparison only. Two values have the same text only if they are equal, line breaks included: browsers
 * send those of a form as CRLF each time.
 *
 * @returns undefined for what is no plain data, and for what is nested too deeply.
 */
export function canonical(value: unknown, depth = 0): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isFinite(value) ? numberText(value) : undefined
  if (typeof value !== 'object' || depth > maxDepth) return undefined
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : `date ${value.toISOString()}`
  if (Array.isArray(value))
    return joined(
      '[',
      Array.from(value, (each: unknown) => canonical(each, depth + 1)),
      ']',
    )
  if (!isPlain(value)) return undefined
  const members = Object.entries(value).map(([name, member]) => {
    const text = member === undefined ? 'undefined' : canonical(member, depth + 1)
    return text === undefined ? undefined : `${JSON.stringify(name)}:${text}`
  })
  return joined('{', members, '}')
}

/** JSON has no text of its own for -0, which divides and formats differently from 0. */
const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** Deeper than data of any form, and far from the end of the stack. */
const maxDepth = 64

/**
 * Members of any other object could be hidden from `Object.entries()`, as those of a Map are. Some parsers make objects with an empty
 * prototype of their own.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function joined(begin: string, texts: readonly (string | undefined)[], end: string): string | undefined {
  return texts.includes(undefined) ? undefined : begin + texts.join() + end
}
