import type { Request } from 'express'

import type { RequestContext } from '../request/context.ts'
import type { AppRequest } from '../options.ts'
import { ar } from './messages/ar.ts'
import { en } from './messages/en.ts'
import type { Messages } from './messages/en.ts'
import { replaceMessages } from './messages/replace.ts'
import type { MessagesByLanguage } from './messages/replace.ts'

/** A language the pages speak. */
export interface Language {
  /** As in the attribute `lang` (BCP 47). */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: Messages
}

/** One language, or what tells it of a request; without it browsers say what people prefer. */
export type LanguageChoice = string | ((req: AppRequest) => string | undefined)

export interface Languages {
  /** The first is what is spoken to who understands none of them. */
  readonly all: readonly [Language, ...Language[]]
  readonly choice: LanguageChoice | undefined
}

const ours: Readonly<Record<string, Messages>> = { en, ar }

/**
 * Our languages, and the app's.
 * @throws {TypeError} that names what is misspelt.
 */
export function createLanguages(given: MessagesByLanguage, choice: LanguageChoice | undefined): Languages {
  const [first = 'en', ...rest] = new Set([...Object.keys(ours), ...Object.keys(given)])
  const speak = (tag: string) => createLanguage(tag, given[tag] ?? {})
  const languages: Languages = { all: [speak(first), ...rest.map(speak)], choice }
  if (typeof choice === 'string' && !find(languages, choice)) {
    throw new TypeError(`mfa: language: no words for ${choice}: give messages: { ${choice}: { … } }`)
  }
  return Object.freeze(languages)
}

/** For pages that only developers read. */
export function englishOf({ all }: Languages): Language {
  return all.find(({ tag }) => tag === 'en') ?? all[0]
}

/** @param choice Who chose the language; by default the browser. */
export function languageHeaders(
  { tag }: Language,
  choice: LanguageChoice | undefined,
): Readonly<Record<string, string>> {
  return { 'Content-Language': tag, ...(choice === undefined && { Vary: 'Accept-Language' }) }
}

/** The language of whoever sent this request. */
export function languageFor(req: Request, { mfa }: RequestContext): Language {
  const { languages } = mfa.options
  const { all, choice } = languages
  const wanted = typeof choice === 'function' ? choice(req) : choice
  // Apps without types return null, too.
  if (typeof wanted === 'string') return find(languages, wanted) ?? all[0]
  const accepted = req.acceptsLanguages(all.map(({ tag }) => tag))
  return all.find(({ tag }) => tag === accepted) ?? all[0]
}

/** Who asks for `de-AT` is content with `de`. */
function find({ all }: Languages, wanted: string): Language | undefined {
  const exact = all.find(({ tag }) => tag.toLowerCase() === wanted.toLowerCase())
  return exact ?? all.find(({ tag }) => tag === mainOf(wanted))
}

/** A language of the app's own stands on the one it is a kind of, or on English. */
function createLanguage(tag: string, given: MessagesByLanguage[string]): Language {
  if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(tag)) {
    throw new TypeError(`mfa: messages.${tag}: name a language first, such as messages: { en: { … } }`)
  }
  const words = ours[tag] ?? ours[mainOf(tag)] ?? en
  return Object.freeze({
    tag,
    direction: rightToLeft.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr',
    words: replaceMessages(words, given, `mfa: messages.${tag}`),
  })
}

function mainOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? tag
}

/** Scripts in use (ISO 15924). */
const rightToLeft: ReadonlySet<string> = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg'])
