import type { Messages } from './messages.ts'

type Part<T> = T extends string | ((...values: never) => string) ? T : { readonly [Key in keyof T]?: Part<T[Key]> }

/** Some of the words of the pages, in the app's own: what is not given stays. */
export type SomeMessages = Part<Messages>

/** Texts by language, such as `{ en: { waiting: { signIn: 'One more step' } } }`. */
export type MessagesByLanguage = Readonly<Record<string, SomeMessages>>

/**
 * The words with some of them replaced.
 * @param path what they are called in errors.
 * @throws {TypeError} that names a text there is not, or one of another kind.
 */
export function replaceMessages(words: Messages, replacements: SomeMessages, path: string): Messages {
  return replaceTexts(words, replacements, path) as Messages
}

type Texts = Readonly<Record<string, unknown>>

function replaceTexts(words: Texts, replacements: unknown, path: string): Texts {
  if (!isTexts(replacements)) throw new TypeError(`${path} must be an object of texts`)
  const replaced = Object.entries(replacements).map(([key, replacement]) => {
    if (!Object.hasOwn(words, key)) {
      throw new TypeError(`${path}.${key}: there is no such text; there are ${Object.keys(words).join(', ')}`)
    }
    return [key, replaceOne(words[key], replacement, `${path}.${key}`)]
  })
  return Object.freeze({ ...words, ...Object.fromEntries(replaced) })
}

function replaceOne(current: unknown, replacement: unknown, path: string): unknown {
  if (isTexts(current)) return replaceTexts(current, replacement, path)
  if (typeof replacement === typeof current) return replacement
  throw new TypeError(
    typeof current === 'string'
      ? `${path} must be a string`
      : `${path} must be a function that is given a value and returns the text`,
  )
}

function isTexts(value: unknown): value is Texts {
  return typeof value === 'object' && value !== null
}
