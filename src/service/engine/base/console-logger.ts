import { inspect } from 'node:util'

import { printable } from '../../../ground/printable.ts'
import type { Logger } from './logger.ts'

/** The default of services: warnings and errors on standard error, one line each. */
export const consoleLogger: Logger = {
  info: () => {},
  warn: write,
  error: write,
}

function write(details: object, message: string): void {
  // `second-factor restored` reads these from a log in JSON. For people, the audit trail says the same.
  if ('revocation' in details) return
  const facts = Object.entries(details)
    .filter(([name, value]) => value !== undefined && !isSaid(message, name, value))
    .map(([name, value]) => factOf(name, value))
  const line = `second-factor: ${message}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
  // oxlint-disable-next-line no-console -- without a logger there is no other place
  console.error(printable(line.replaceAll(/\s+/g, ' ')))
}

/** Paths and addresses that the message contains, and what it says in words. */
const isSaid = (message: string, name: string, value: unknown): boolean =>
  value === true ? message.includes(name) : typeof value === 'string' && value.includes('/') && message.includes(value)

const factOf = (name: string, value: unknown): string =>
  value instanceof Error ? explain(value) : `${name}: ${typeof value === 'string' ? value : inspect(value)}`

/** The error with its causes, and where the first of them was thrown. */
function explain(error: Error): string {
  const texts: string[] = []
  let root = error
  for (let next: unknown = error; next instanceof Error && texts.length < 5; next = next.cause) {
    // Codes of PostgreSQL, SQLite and the operating system: some errors have no message beside them.
    const code = 'code' in next && typeof next.code === 'string' ? [next.code] : []
    texts.push([...code, next.message === '' ? next.name : next.message].join(' '))
    root = next
  }
  const place = /^ *(at .+)$/m.exec(root.stack ?? '')?.[1]
  return [texts.join(': '), ...(place === undefined ? [] : [place])].join(' ')
}
