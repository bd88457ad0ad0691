import type { Command } from 'commander'

import { isUrl } from '../database/failures.ts'

/**
 * The `serve` command that continues after `init`, with the options that both have, as they were typed. Options from the
 * environment are still set there. The address of a database is not repeated, because it may contain a password.
 */
export function nextCommand(command: Command, database: string): string {
  const typed = command.options.filter((option) => {
    const name = option.attributeName()
    return repeated.has(name) && command.getOptionValueSource(name) === 'cli'
  })
  const words = typed.flatMap((option) => {
    const value = String(command.getOptionValue(option.attributeName()))
    return isUrl(value) ? [] : [option.long ?? '', shellWord(value)]
  })
  const isHidden = isUrl(database) && command.getOptionValueSource('database') === 'cli'
  return [...(isHidden ? ["MFA_DATABASE='…'"] : []), 'second-factor serve', ...words].join(' ')
}

const repeated = new Set(['database', 'basePath', 'scheme', 'mediaType'])

/** Quotes a word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
