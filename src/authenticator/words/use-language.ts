import { type LanguageChoice, useLanguage as useLanguageOf } from '../../ui/use-language.ts'
import type { Words } from '../texts/en.ts'
import { type Language, languages } from './languages.ts'
import { storeNotice } from './notice.ts'

/** The language of the app, its manifest and its notifications. */
export const useLanguage = (): LanguageChoice<Words> => useLanguageOf(languages, apply)

function apply({ code, direction }: Language, words: Words): void {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
  if (manifest) manifest.href = code === 'en' ? './manifest.webmanifest' : `./manifest.${code}.webmanifest`
  const change = { title: words.factorChanged, body: words.factorChangedBody }
  const call = { title: words.callTitle, body: words.noticeBody }
  const approval = { title: words.approvalNotice, body: words.noticeBody }
  const test = { title: words.testTitle, body: words.testBody }
  const notice = {
    title: words.noticeTitle,
    body: words.noticeBody,
    change,
    call,
    approval,
    test,
    lang: code,
    dir: direction,
  }
  // Where this fails, there are no notifications either.
  storeNotice(notice).catch(() => undefined)
}
