import { InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'

import { validate } from '../../contract/validate.ts'
import { InterfaceWords } from '../../service/engine/base/interface-words.ts'

/**
 * An option for each word of the REST interface. Each can also be set in the environment.
 * @param defaultOf Describes the default value.
 */
export function interfaceOptions(defaultOf: (name: keyof InterfaceWords) => string): Option[] {
  return names.map((name) =>
    new Option(flags[name], `${descriptions[name]} (default: ${defaultOf(name)})`)
      .env(`MFA_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`)
      .argParser((text) => parse(InterfaceWords.shape[name], text)),
  )
}

/** The words as options: `--media-type acme`. */
export function typedWords(words: InterfaceWords): string {
  return names
    .filter((name) => words[name] !== undefined)
    .map((name) => flags[name].replace(/<[^<>]*>/, words[name] ?? ''))
    .join(' ')
}

/** The words that were set, by option or in the environment. */
export function interfaceWordsOf(settings: InterfaceWords): InterfaceWords {
  return Object.fromEntries(names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])))
}

export const defaultWords = { basePath: '/api', scheme: 'Service', mediaType: 'service' } as const

const names = ['basePath', 'scheme', 'mediaType'] as const

const flags = { basePath: '--base-path <path>', scheme: '--scheme <word>', mediaType: '--media-type <word>' } as const

const descriptions = {
  basePath: 'path where the REST interface begins',
  scheme: 'scheme of the Authorization header',
  mediaType: 'vendor word of the media type: x for application/vnd.x.v1+json',
} as const

function parse<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  const validated = validate(schema, text)
  if (validated.success) return validated.data
  throw new InvalidArgumentError(`It ${validated.mistakes[0].message}.`)
}
