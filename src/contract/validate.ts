import { z } from 'zod'

/** A validation error. */
export interface Mistake {
  /** The path to the field; empty for the value itself. */
  readonly path: readonly PropertyKey[]
  /** The expected value, such as `must be a whole number`. Never quotes the value, which may be a secret. */
  readonly message: string
}

export type Validated<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly mistakes: readonly [Mistake, ...Mistake[]] }

/** Validates input, such as options or a request. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): Validated<z.output<S>> {
  const parsed = schema.safeParse(value, { error: describeIssue })
  if (parsed.success) return parsed
  const [first, ...rest] = parsed.error.issues.flatMap((issue) => toMistakes(issue, []))
  return { success: false, mistakes: [first ?? { path: [], message: 'is wrong' }, ...rest] }
}

/**
 * Validates options and fills in their defaults.
 *
 * @param caller The function that takes the options; the error message starts with it.
 * @throws {TypeError} that names each wrong option and what is expected there; never its value. Where the options are a
 * request, it says that the call is missing, as in `app.use(mfa)`, and where one is a promise, that `await` is.
 */
export function parseOptions<S extends z.ZodType>(schema: S, caller: string, options: unknown): Readonly<z.output<S>> {
  const validated = validate(schema, options)
  if (validated.success) return Object.freeze(validated.data)
  if (isRequest(options)) throw new TypeError(`${caller} was passed as a handler itself: write ${caller}()`)
  const promised = Object.entries(Object(options)).find(([, value]) => value instanceof Promise)
  if (promised) throw new TypeError(`${caller}: ${promised[0]}: is a promise: write await before it`)
  throw new TypeError(`${caller}: ${describeMistakes(validated.mistakes)}`)
}

/** A framework calls its handlers with its request. That of Fastify contains the one of Node. */
function isRequest(options: unknown): boolean {
  const { raw, httpVersion } = Object(options) as { raw?: { httpVersion?: unknown }; httpVersion?: unknown }
  return (httpVersion ?? raw?.httpVersion) !== undefined
}

/** All mistakes in one line, such as `timeout: must be 100 or more; "logoutpath" is unknown`. */
export function describeMistakes(mistakes: readonly Mistake[]): string {
  return mistakes.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')).join('; ')
}

/** Reports the mistakes of the member that was probably meant, for a union without its own message. */
function toMistakes(issue: z.core.$ZodIssue, parent: readonly PropertyKey[]): Mistake[] {
  const path = [...parent, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.message !== '') return [{ path, message: issue.message }]
  const matchingBranch = issue.errors.find((branch) =>
    branch.every((nested) => nested.path.length > 0 || isAboutKeys(nested)),
  )
  if (matchingBranch) return matchingBranch.flatMap((nested) => toMistakes(nested, path))
  const members = issue.errors.flat().filter((nested) => nested.path.length === 0)
  const expected = new Set(members.flatMap((nested) => toMistakes(nested, [])).map(({ message }) => message))
  return [
    {
      path,
      message: Array.from(expected, (text, index) => (index ? text.replace(/^must be /, '') : text)).join(' or '),
    },
  ]
}

const isAboutKeys = (issue: z.core.$ZodIssue) => issue.code === 'unrecognized_keys'

/** The default message of a schema, in words that need no knowledge of schemas. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys' && issue.code !== 'custom') return 'is missing'
  if (issue.code === 'invalid_union') return ''
  if (issue.code === 'invalid_type') return `must be ${kinds[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  if (issue.code === 'too_small' && issue.inclusive === false) return `must be more than ${issue.minimum}`
  if (issue.code === 'too_small') return `must ${amount(issue.origin, issue.minimum)} or more`
  if (issue.code === 'too_big') return `must ${amount(issue.origin, issue.maximum)} or less`
  if (issue.code === 'invalid_format') return formats[issue.format] ?? 'has the wrong form'
  if (issue.code === 'unrecognized_keys') return describeKeys(issue.keys, issue.inst)
  return undefined
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

const formats: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address such as alice@example.com',
  url: 'must be an address such as https://mfa.example',
}

const units: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function amount(origin: string, limit: number | bigint): string {
  const unit = units[origin]?.[Number(limit) === 1 ? 0 : 1]
  return unit ? `have ${limit} ${unit}` : `be ${limit}`
}

function describeKeys(keys: readonly string[], schema: unknown): string {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return keys.map((key) => `"${key}" is unknown${suggest(key, names)}`).join('; ')
}

/** The known name that was probably meant. */
function suggest(name: string, names: readonly string[]): string {
  const candidates = names
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.min(3, candidate.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return candidates[0] ? `: did you mean "${candidates[0].candidate}"?` : ''
}

/** How many characters have to be inserted, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, character] of Array.from(from).entries()) {
    const next = [i + 1]
    for (const [j, target] of Array.from(to).entries()) {
      const replaced = (row[j] ?? 0) + (character === target ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** Parses JSON. @returns undefined, which schemas reject, for any other text, such as a truncated line. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
