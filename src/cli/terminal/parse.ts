import { InvalidArgumentError } from 'commander'

/** Parses the value of an option that is a whole number. The service may narrow the range further. */
export function integer(min = 0, max = 999_999_999) {
  const expected = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `${min} to ${max}`
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number, ${expected}.`)
  }
}

/** Parses the value of an option that is on or off. */
export function parseSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('Expected on or off.')
  return text === 'on'
}

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }

/** @returns The seconds of a duration such as `90m`, `12h` or `7d`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9})([mhd])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (units[unit] ?? 1)
}
