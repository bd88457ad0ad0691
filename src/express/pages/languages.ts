import type { Request } from 'express'

import { scriptOf, textDirection } from '../../contract/languages.ts'
import type { LanguageTag } from '../../contract/languages.ts'
import type { RequestContext } from '../request/context.ts'
import type { AppRequest } from '../options.ts'
import { en } from './messages/en.ts'
import type { Messages } from './messages/en.ts'
import { replaceMessages } from './messages/replace.ts'
import type { MessagesByLanguage, SomeMessages } from './messages/replace.ts'

/** A language of the pages. */
export interface Language {
  /** As in the attribute `lang` (BCP 47); with the region that was asked for. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: Messages
}

/** A language whose texts are loaded on first use: all seven would be a tenth of the time that `mfa()` adds to a start. */
interface SupportedLanguage {
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly texts: Texts
}

/** One language, or a function that chooses it for a request; by default the browser chooses. */
export type LanguageChoice = string | ((req: AppRequest) => string | undefined)

export interface Languages {
  /** The first one is the fallback. */
  readonly all: readonly [SupportedLanguage, ...SupportedLanguage[]]
  readonly choice: LanguageChoice | undefined
}

const ours: Readonly<Record<LanguageTag, () => Promise<Messages>>> = {
  en: async () => en,
  de: async () => (await import('./messages/de.ts')).de,
  fr: async () => (await import('./messages/fr.ts')).fr,
  es: async () => (await import('./messages/es.ts')).es,
  pt: async () => (await import('./messages/pt.ts')).pt,
  ja: async () => (await import('./messages/ja.ts')).ja,
  ar: async () => (await import('./messages/ar.ts')).ar,
}

/** The texts of a language, and those that the app replaces. */
class Texts {
  readonly #load: () => Promise<Messages>
  #words: Messages | undefined

  constructor(load: () => Promise<Messages>, loaded: Messages | undefined) {
    this.#load = load
    this.#words = loaded
  }

  /** @throws {TypeError} before `load()` has loaded them. */
  get words(): Messages {
    if (!this.#words) throw new TypeError('the texts of the language are not loaded')
    return this.#words
  }

  get loaded(): boolean {
    return this.#words !== undefined
  }

  async load(): Promise<void> {
    this.#words ??= await this.#load()
  }
}

/**
 * Returns our languages and those of the app.
 * @throws {TypeError} that names what is misspelled.
 */
export function createLanguages(messages: MessagesByLanguage, choice: LanguageChoice | undefined): Languages {
  const [first = 'en', ...rest] = new Set([...Object.keys(ours), ...Object.keys(messages)])
  const speak = (tag: string) => supportLanguage(tag, messages[tag] ?? {})
  const languages: Languages = { all: [speak(first), ...rest.map(speak)], choice }
  if (typeof choice === 'string' && !find(languages, choice)) {
    throw new TypeError(`mfa: language: no words for ${choice}: give messages: { ${choice}: { … } }`)
  }
  return Object.freeze(languages)
}

/** The language of pages for developers. Its texts are always loaded. */
export function englishOf({ all }: Languages): Language {
  const [{ tag, direction, texts }] = all
  return { tag, direction, words: texts.words }
}

/** @param choice Who chose the language; by default the browser. */
export function languageHeaders(
  { tag }: Language,
  choice: LanguageChoice | undefined,
): Readonly<Record<string, string>> {
  return { 'Content-Language': tag, ...(choice === undefined && { Vary: 'Accept-Language' }) }
}

/** Loads the texts of `languageFor()`. Each page of this request can then be made in one go. */
export async function loadLanguageFor(req: Request, context: RequestContext): Promise<void> {
  const { texts } = choose(req, context).language
  if (!texts.loaded) await texts.load()
}

/** The language of the user who sent this request. */
export function languageFor(req: Request, context: RequestContext): Language {
  const { language, wanted } = choose(req, context)
  return { tag: regionalTag(language.tag, wanted), direction: language.direction, words: language.texts.words }
}

/** The tag of the language of the user, which needs no texts. */
export function languageTagFor(req: Request, context: RequestContext): string {
  const { language, wanted } = choose(req, context)
  return regionalTag(language.tag, wanted)
}

/** @returns the language, and the tags that were asked for. */
function choose(
  req: Request,
  { mfa }: RequestContext,
): { readonly language: SupportedLanguage; readonly wanted: readonly string[] } {
  const { languages } = mfa.options
  const { all, choice } = languages
  const wanted = typeof choice === 'function' ? choice(req) : choice
  // Untyped apps may return null.
  if (typeof wanted === 'string') return { language: find(languages, wanted) ?? all[0], wanted: [wanted] }
  const accepted = req.acceptsLanguages(all.map(({ tag }) => tag))
  return { language: all.find(({ tag }) => tag === accepted) ?? all[0], wanted: req.acceptsLanguages() }
}

/** Takes the region from what was asked for, such as `en-GB` for `en`: it decides how times and numbers look. */
function regionalTag(tag: string, wanted: readonly string[]): string {
  const regional = new RegExp(`^${tag}(-([a-z]{2}|\\d{3}))?$`, 'i')
  const isRegional = (each: string) => regional.test(each) && scriptOf(each) === scriptOf(tag)
  const [own = tag] = Intl.getCanonicalLocales(wanted.find(isRegional))
  return own
}

/** Finds a language by its tag; `de` also serves `de-AT`. */
function find({ all }: Languages, wanted: string): SupportedLanguage | undefined {
  const exact = all.find(({ tag }) => tag.toLowerCase() === wanted.toLowerCase())
  return exact ?? all.find(({ tag }) => tag === mainOf(wanted))
}

/** A language of the app takes missing texts from our language with the same main tag, or from English. */
function supportLanguage(tag: string, replaced: SomeMessages): SupportedLanguage {
  if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(tag)) {
    throw new TypeError(`mfa: messages.${tag}: name a language first, such as messages: { en: { … } }`)
  }
  const path = `mfa: messages.${tag}`
  // All languages have the same texts, so misspelled names show at start.
  const inEnglish = replaceMessages(en, replaced, path)
  const base = [tag, mainOf(tag)].find((each): each is LanguageTag => Object.hasOwn(ours, each)) ?? 'en'
  const load = async () => replaceMessages(await ours[base](), replaced, path)
  const texts = new Texts(load, base === 'en' ? inEnglish : undefined)
  return Object.freeze({ tag, direction: textDirection(tag), texts })
}

function mainOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? tag
}
