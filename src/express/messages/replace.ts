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
export function replaceMessages(words: Messages, some: SomeMessages, path: string): Messages {
  return replaceTexts(words, some, path) as Messages
}

type Texts = Readonly<Record<string, unknown>>

function replaceTexts(words: Texts, some: unknown, path: string): Texts {
  if (!isTexts(some)) throw new TypeError(`${path} must be an object of texts`)
  const replaced = Object.entries(some).map(([key, given]) => {
    if (!Object.hasOwn(words, key)) {
      throw new TypeError(`${path}.${key}: there is no such text; there are ${Object.keys(words).join(', ')}`)
    }
    return [key, replaceOne(words[key], given, `${path}.${key}`)]
  })
  return Object.freeze({ ...words, ...Object.fromEntries(replaced) })
}

function replaceOne(present: unknown, given: unknown, path: string): unknown {
  if (isTexts(present)) return replaceTexts(present, given, path)
  if (typeof given === typeof present) return given
  throw new TypeError(
    typeof present === 'string'
      ? `${path} must be a string`
      : `${path} must be a function that is given a value and returns the text`,
  )
}

function isTexts(value: unknown): value is Texts {
  return typeof value === 'object' && value !== null
}
