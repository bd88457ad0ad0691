import type { Request } from 'express'

import { scriptOf, textDirection } from '../../contract/languages.ts'
import type { LanguageTag } from '../../contract/languages.ts'
import type { RequestContext } from '../request/context.ts'
import type { AppRequest } from '../options.ts'
import { ar } from './messages/ar.ts'
import { de } from './messages/de.ts'
import { en } from './messages/en.ts'
import type { Messages } from './messages/en.ts'
import { es } from './messages/es.ts'
import { fr } from './messages/fr.ts'
import { ja } from './messages/ja.ts'
import { pt } from './messages/pt.ts'
import { replaceMessages } from './messages/replace.ts'
import type { MessagesByLanguage } from './messages/replace.ts'

/** A language of the pages. */
export interface Language {
  /** As in the attribute `lang` (BCP 47); with the region that was asked for. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: Messages
}

/** One language, or a function that chooses it for a request; by default the browser chooses. */
export type LanguageChoice = string | ((req: AppRequest) => string | undefined)

export interface Languages {
  /** The first one is the fallback. */
  readonly all: readonly [Language, ...Language[]]
  readonly choice: LanguageChoice | undefined
}

const ours: Readonly<Record<string, Messages>> = { en, de, fr, es, pt, ja, ar } satisfies Record<LanguageTag, Messages>

/**
 * Returns our languages and those of the app.
 * @throws {TypeError} that names what is misspelled.
 */
export function createLanguages(messages: MessagesByLanguage, choice: LanguageChoice | undefined): Languages {
  const [first = 'en', ...rest] = new Set([...Object.keys(ours), ...Object.keys(messages)])
  const speak = (tag: string) => createLanguage(tag, messages[tag] ?? {})
  const languages: Languages = { all: [speak(first), ...rest.map(speak)], choice }
  if (typeof choice === 'string' && !find(languages, choice)) {
    throw new TypeError(`mfa: language: no words for ${choice}: give messages: { ${choice}: { … } }`)
  }
  return Object.freeze(languages)
}

/** The language of pages for developers. */
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

/** The language of the user who sent this request. */
export function languageFor(req: Request, { mfa }: RequestContext): Language {
  const { languages } = mfa.options
  const { all, choice } = languages
  const wanted = typeof choice === 'function' ? choice(req) : choice
  // Untyped apps may return null.
  if (typeof wanted === 'string') return withRegion(find(languages, wanted) ?? all[0], [wanted])
  const accepted = req.acceptsLanguages(all.map(({ tag }) => tag))
  const language = all.find(({ tag }) => tag === accepted) ?? all[0]
  return withRegion(language, req.acceptsLanguages())
}

/** Takes the region from what was asked for, such as `en-GB` for `en`: it decides how times and numbers look. */
function withRegion(language: Language, wanted: readonly string[]): Language {
  const { tag } = language
  const regional = new RegExp(`^${tag}(-([a-z]{2}|\\d{3}))?$`, 'i')
  const isRegional = (each: string) => regional.test(each) && scriptOf(each) === scriptOf(tag)
  const [own = tag] = Intl.getCanonicalLocales(wanted.find(isRegional))
  return { ...language, tag: own }
}

/** Finds a language by its tag; `de` also serves `de-AT`. */
function find({ all }: Languages, wanted: string): Language | undefined {
  const exact = all.find(({ tag }) => tag.toLowerCase() === wanted.toLowerCase())
  return exact ?? all.find(({ tag }) => tag === mainOf(wanted))
}

/** A language of the app takes missing texts from our language with the same main tag, or from English. */
function createLanguage(tag: string, texts: MessagesByLanguage[string]): Language {
  if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(tag)) {
    throw new TypeError(`mfa: messages.${tag}: name a language first, such as messages: { en: { … } }`)
  }
  const words = ours[tag] ?? ours[mainOf(tag)] ?? en
  return Object.freeze({
    tag,
    direction: textDirection(tag),
    words: replaceMessages(words, texts, `mfa: messages.${tag}`),
  })
}

function mainOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? tag
}
