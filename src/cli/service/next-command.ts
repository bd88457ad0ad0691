import type { Command } from 'commander'

import { isUrl } from './database-name.ts'

/**
 * The same service, served: with the options of this command that `serve` has, too, as they were typed. What came from the
 * environment is still there. An address of a database is not repeated, because it may carry a password.
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

/** As a POSIX shell reads it back. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
