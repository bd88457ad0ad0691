import { textDirection } from '../../contract/languages.ts'
import type { LanguageTag } from '../../contract/languages.ts'
import type { AppRequest } from './app.ts'
import type { Messages } from '../messages/messages.ts'
import { replaceMessages } from '../messages/replace.ts'
import type { MessagesByLanguage, SomeMessages } from '../messages/replace.ts'
import { en } from '../texts/en.ts'
import { loadTexts } from '../texts/load.ts'

/** A language of the pages. */
export interface Language {
  /** The value of the attribute `lang` (BCP 47), with the requested region. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: Messages
}

/** A language whose texts are loaded on first use: all seven would be a tenth of the time that `mfa()` adds to a start. */
export interface SupportedLanguage {
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

const ownMessages: Readonly<Record<LanguageTag, () => Promise<Messages>>> = loadTexts

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
  const [first = 'en', ...rest] = new Set([...Object.keys(ownMessages), ...Object.keys(messages)])
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

/** Finds a language by its tag; `de` also serves `de-AT`. */
export function find({ all }: Languages, requestedTag: string): SupportedLanguage | undefined {
  const exact = all.find(({ tag }) => tag.toLowerCase() === requestedTag.toLowerCase())
  return exact ?? all.find(({ tag }) => tag === mainOf(requestedTag))
}

/** A language of the app takes missing texts from our language with the same main tag, or from English. */
function supportLanguage(tag: string, replaced: SomeMessages): SupportedLanguage {
  if (!/^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(tag)) {
    throw new TypeError(`mfa: messages.${tag}: name a language first, such as messages: { en: { … } }`)
  }
  const path = `mfa: messages.${tag}`
  // All languages have the same texts, so misspelled names show at start.
  const inEnglish = replaceMessages(en, replaced, path)
  const base = [tag, mainOf(tag)].find((each): each is LanguageTag => Object.hasOwn(ownMessages, each)) ?? 'en'
  const load = async () => replaceMessages(await ownMessages[base](), replaced, path)
  const texts = new Texts(load, base === 'en' ? inEnglish : undefined)
  return Object.freeze({ tag, direction: textDirection(tag), texts })
}

function mainOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? tag
}
