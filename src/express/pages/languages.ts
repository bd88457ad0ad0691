import type { FrameworkRequest } from '../framework/request.ts'
import { scriptOf } from '../../contract/languages.ts'
import type { RequestContext } from '../request/context.ts'
import type { Language, SupportedLanguage, LanguageChoice } from '../options/languages.ts'
import { find } from '../options/languages.ts'
import { appRequestOf } from '../request/app-request.ts'
import { acceptedTags, preferredTag } from '../../ground/accepted-languages.ts'

/** @param choice Who chose the language; by default the browser. */
export function languageHeaders(
  { tag }: Language,
  choice: LanguageChoice | undefined,
): Readonly<Record<string, string>> {
  return { 'Content-Language': tag, ...(choice === undefined && { Vary: 'Accept-Language' }) }
}

/** Loads the texts of `languageFor()`. Each page of this request can then be made in one go. */
export async function loadLanguageFor(req: FrameworkRequest, context: RequestContext): Promise<void> {
  const { texts } = choose(req, context).language
  if (!texts.loaded) await texts.load()
}

/** The language of the user who sent this request. */
export function languageFor(req: FrameworkRequest, context: RequestContext): Language {
  const { language, requestedTags } = choose(req, context)
  return { tag: regionalTag(language.tag, requestedTags), direction: language.direction, words: language.texts.words }
}

/** The tag of the language of the user, which needs no texts. */
export function languageTagFor(req: FrameworkRequest, context: RequestContext): string {
  const { language, requestedTags } = choose(req, context)
  return regionalTag(language.tag, requestedTags)
}

/** @returns the language, and the tags that were asked for. */
function choose(
  req: FrameworkRequest,
  { mfa }: RequestContext,
): { readonly language: SupportedLanguage; readonly requestedTags: readonly string[] } {
  const { languages } = mfa.options
  const { all, choice } = languages
  const requestedTag = typeof choice === 'function' ? choice(appRequestOf(req)) : choice
  // Untyped apps may return null.
  if (typeof requestedTag === 'string')
    return { language: find(languages, requestedTag) ?? all[0], requestedTags: [requestedTag] }
  const header = req.headers['accept-language']
  const preferred = preferredTag(
    header,
    all.map(({ tag }) => tag),
  )
  return { language: all.find(({ tag }) => tag === preferred) ?? all[0], requestedTags: acceptedTags(header) }
}

/** Takes the region from what was asked for, such as `en-GB` for `en`: it decides how times and numbers look. */
function regionalTag(tag: string, requestedTags: readonly string[]): string {
  const regional = new RegExp(`^${tag}(-([a-z]{2}|\\d{3}))?$`, 'i')
  const isRegional = (each: string) => regional.test(each) && scriptOf(each) === scriptOf(tag)
  const [tagWithRegion = tag] = Intl.getCanonicalLocales(requestedTags.find(isRegional))
  return tagWithRegion
}
