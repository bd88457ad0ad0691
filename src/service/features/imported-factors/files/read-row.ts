import type { FactorRow, ReadFactors } from './factor-row.ts'
import { textOf } from './fields.ts'
import type { Said } from './fields.ts'
import { readApp } from './read-app.ts'
import type { CodeSettings } from './read-app.ts'
import { readRecovery } from './read-recovery.ts'
import type { Source } from './sources.ts'

export const unfinished = 'its enrollment was never finished: no code of it was checked'

/** Reads what a row says of a person. */
export function readRow(line: number, said: Said, source: Source, settings: CodeSettings): FactorRow {
  const person = personOf(said)
  if ('reason' in person) return { line, ...person }
  const finished = [said.verified, said.enabled].map((value) => truthOf(value))
  if (finished.includes(undefined)) return { line, reason: 'verified: is neither true nor false' }
  if (finished.includes(false)) return { line, reason: unfinished }
  const read = readApp(said, source, settings)
  if (read && 'reason' in read) return { line, ...read }
  if (!read) return { line, reason: 'it has no app' }
  const recovery = readRecovery(recoveryOf(said, source, settings))
  const createdAt = timeOf(said.createdAt)
  const serialNumber = textOf(said.serial) ?? ''
  return {
    line,
    ...person,
    app: read.app,
    ...(read.assumed && { assumed: true }),
    ...(serialNumber !== '' && { serialNumber }),
    ...(recovery.codes.length > 0 && { recovery: recovery.codes }),
    ...(recovery.refused > 0 && { recoveryRefused: recovery.refused }),
    ...(createdAt !== undefined && { createdAt }),
  }
}

function personOf(said: Said): Pick<ReadFactors, 'username' | 'name' | 'email'> | { readonly reason: string } {
  const [username, name, email] = [textOf(said.username), textOf(said.name), textOf(said.email)]
  if (username === undefined || name === undefined || email === undefined) return { reason: 'a name is no text' }
  if (username === '') return { reason: 'it has no username' }
  return {
    // Blanks at the ends of a username are part of it: without them, it may be that of somebody else.
    username: typeof said.username === 'string' ? said.username : username,
    ...(name !== '' && { name }),
    ...(email !== '' && { email }),
  }
}

/** The codes of a source with encrypted secrets are encrypted, too; some versions store them in plain text. */
function recoveryOf({ recovery }: Said, { sealed }: Source, { open }: CodeSettings): unknown {
  if (!sealed || typeof recovery !== 'string' || recovery.trim().startsWith('[')) return recovery
  return recovery.trim() === '' ? recovery : (open?.(recovery.trim()) ?? [undefined])
}

/** @returns undefined for what is neither; true where the row does not say it. */
function truthOf(value: unknown): boolean | undefined {
  const text = textOf(value)?.toLowerCase()
  if (text === undefined) return undefined
  if (['', 'true', 't', '1', 'yes', 'y'].includes(text)) return true
  return ['false', 'f', '0', 'no', 'n'].includes(text) ? false : undefined
}

/** Unix time, seconds, of a number of seconds or milliseconds, or of a date (RFC 3339); undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value) ?? ''
  if (/^\d{9,10}(?:\.\d+)?$/.test(text)) return Math.floor(Number(text))
  if (/^\d{12,13}$/.test(text)) return Math.floor(Number(text) / 1000)
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/.test(text))
    return undefined
  const milliseconds = Date.parse(text.replace(' ', 'T').replace(/^(.{10}T[\d:.]{5,18}[+-]\d\d)$/, '$1:00'))
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}
