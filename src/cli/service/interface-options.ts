import { InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'

import { validate } from '../../contract/validate.ts'
import { InterfaceWords } from '../../service/ground/interface-words.ts'

/**
 * The words of the REST interface, each as an option or a variable of the environment.
 * @param otherwise What holds where neither is given.
 */
export function interfaceOptions(otherwise: (name: keyof InterfaceWords) => string): Option[] {
  return names.map((name) =>
    new Option(flags[name], `${descriptions[name]} (default: ${otherwise(name)})`)
      .env(`MFA_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`)
      .argParser((text) => parse(InterfaceWords.shape[name], text)),
  )
}

/** As they are typed: `--media-type acme`. */
export function typedWords(words: InterfaceWords): string {
  return names
    .filter((name) => words[name] !== undefined)
    .map((name) => flags[name].replace(/<[^<>]*>/, words[name] ?? ''))
    .join(' ')
}

/** What was given of them, by option or by environment. */
export function interfaceWordsOf(settings: InterfaceWords): InterfaceWords {
  return Object.fromEntries(names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])))
}

export const usualWords = { basePath: '/api', scheme: 'Service', mediaType: 'service' } as const

const names = ['basePath', 'scheme', 'mediaType'] as const

const flags = { basePath: '--base-path <path>', scheme: '--scheme <word>', mediaType: '--media-type <word>' } as const

const descriptions = {
  basePath: 'where the REST interface begins',
  scheme: 'scheme word of the Authorization header',
  mediaType: 'x stands for application/vnd.x.v1+json',
} as const

function parse<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  const validated = validate(schema, text)
  if (validated.success) return validated.data
  throw new InvalidArgumentError(`It ${validated.mistakes[0].message}.`)
}
