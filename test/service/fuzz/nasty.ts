import type { Chance } from './random.ts'

/** JSON texts that have broken parsers before. */
export const nastyValues: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '-0',
  '0.1',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\u202e\\u0007"',
  '"\u{1f600}"',
  '"%00%zz"',
  '"\'; DROP TABLE user; --"',
  '"<script>"',
  '"${x}"',
  `"${'x'.repeat(129)}"`,
  `"${'x'.repeat(70_000)}"`,
  `"${'0'.repeat(40)}"`,
  '[]',
  '[[]]',
  '[null]',
  '{}',
  '{"":""}',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{}}}',
  '{"toString":null,"valueOf":null}',
  '{"length":1e9}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `[${'{},'.repeat(5_000)}{}]`,
]

/** A body that is nearly right, or not at all. */
export function spoil(chance: Chance, body: unknown): Buffer {
  const text = JSON.stringify(body)
  switch (chance.number(8)) {
    case 0:
      return Buffer.from(text.slice(0, chance.number(text.length)))
    case 1:
      return Buffer.from(chance.pick(nastyValues))
    case 2:
      return Buffer.from(Array.from({ length: chance.number(200) }, () => chance.number(256)))
    case 3:
      return Buffer.from(`\ufeff${text}`)
    case 4:
      return flipped(chance, Buffer.from(text))
    default:
      return Buffer.from(replaced(chance, body))
  }
}

function flipped(chance: Chance, bytes: Buffer): Buffer {
  const at = chance.number(bytes.length)
  bytes[at] = bytes[at]! ^ (1 << chance.number(8))
  return bytes
}

/** As it was, but one of its values, or one more, is nasty. */
function replaced(chance: Chance, body: unknown): string {
  const value = chance.pick(nastyValues)
  if (typeof body !== 'object' || body === null) return value
  if (Array.isArray(body)) {
    const at = chance.number(body.length + 1)
    const items = body.map((item, index) =>
      index === at ? (chance.maybe(0.5) ? value : replaced(chance, item)) : JSON.stringify(item),
    )
    return `[${(at === body.length ? [...items, value] : items).join()}]`
  }
  const names = Object.keys(body)
  const name = chance.maybe(0.9) ? chance.pick(names) : chance.pick(['__proto__', 'id', '', 'bypasscode', 'otp'])
  const members = Object.entries(body).filter(([member]) => member !== name)
  const inner: unknown = Reflect.get(body, name)
  const spoilt = chance.maybe(0.3) ? replaced(chance, inner) : value
  return `{${[...members.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`), `${JSON.stringify(name)}:${spoilt}`].join()}}`
}
