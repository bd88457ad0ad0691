import { globSync, readFileSync } from 'node:fs'

import type { MfaOptions } from 'second-factor'
import { mfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { ar } from '../../src/express/texts/ar.ts'
import { de } from '../../src/express/texts/de.ts'
import { en } from '../../src/express/texts/en.ts'
import { es } from '../../src/express/texts/es.ts'
import { fr } from '../../src/express/texts/fr.ts'
import { ja } from '../../src/express/texts/ja.ts'
import { pt } from '../../src/express/texts/pt.ts'
import { saidOf } from '../../src/express/pages/notice.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import { walks } from './every-page.ts'
import { startOwnApp } from './own-factors.ts'

/** The page of a user who has just been asked to approve, as a browser that prefers these languages gets it. */
async function waitingPage(options: Partial<MfaOptions>, languages?: string) {
  const app = await startWebApp({ mfa: options })
  const browser = app.browser()
  await app.enroll(browser, 'alice')
  return browser.open('/mfa', languages === undefined ? {} : { 'accept-language': languages })
}

describe('the words of the pages', () => {
  inFullRun('the words of the pages are replaced one by one, and the others stay', async () => {
    const page = await waitingPage({
      messages: { en: { waiting: { signIn: 'One more step', timeLeft: (span) => `Hurry: ${span}` } } },
    })

    expect(page.text).toContain('autofocus>One more step</h1>')
    expect(page.text).toContain('<title>One more step · Test</title>')
    expect(page.text).toContain('>Hurry: 90 seconds<')
    expect(page.text).toContain('Enter this number there:')
  })

  inFullRun('words that the app replaces go to the script of the page as well, with room for the time', async () => {
    const page = await waitingPage({ messages: { en: { waiting: { timeLeft: (span) => `Hurry: ${span}` } } } })

    expect(page.text).toContain('data-words="Hurry: {time}"')
  })

  it('words that the app replaces are text: markup in them is escaped', async () => {
    const page = await waitingPage({ messages: { en: { waiting: { signIn: '<script>alert(1)</script>' } } } })

    expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;</h1>')
    expect(page.text).not.toContain('<script>alert')
  })

  inFullRun('the page of an expired request says how long the request was valid', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    await app.clock.advance(90)

    expect((await browser.visit('/mfa')).text).toContain('<p>The request wasn&#39;t answered within 90 seconds.</p>')
  })

  inFullRun('the words of the pages can be in another language of the app, with English as the fallback', async () => {
    const options = { messages: { nl: { waiting: { signIn: 'Inloggen bevestigen' } } } }

    const page = await waitingPage(options, 'nl,en;q=0.9')

    expect(page.text).toContain('<html lang="nl" dir="ltr">')
    expect(page.text).toContain('Inloggen bevestigen</h1>')
    expect(page.text).toContain('Enter this number there:')
    expect(page.text).toContain('90 seconden left')
  })

  inFullRun('the words of a regional language fall back to the language', async () => {
    const page = await waitingPage({ language: 'ar-EG', messages: { 'ar-EG': { waiting: { stop: 'كفاية' } } } })

    expect(page.text).toContain('<html lang="ar-EG" dir="rtl">')
    expect(page.text).toContain('كفاية')
    const [textBefore = '', textAfter = ''] = ar.waiting.withNumber('{device}').split('{device}')
    expect(page.text).toContain(`${textBefore}<strong><bdi>Test device</bdi></strong>${textAfter}`)
  })

  it('the words of the pages contain a default name for the app', async () => {
    const { url, ...app } = await startWebApp({ mfa: { appName: undefined, language: 'ar' } })
    const page = await app.browser().visit('/mfa')

    expect(url).toBeTruthy()
    expect(page.text).toContain(`<bdi>${ar.appName}</bdi>`)
  })
})

describe('a mistake in the words', () => {
  const service = { baseUrl: 'https://mfa.example/api', apiKey: 'k', domainId: 'd' }

  it.each<[string, unknown, string]>([
    ['a text there is not', { en: { waiting: { sigIn: 'x' } } }, 'messages.en.waiting.sigIn: there is no such text'],
    ['a part there is not', { en: { wating: {} } }, 'messages.en.wating: there is no such text'],
    ['no language', { waiting: { signIn: 'x' } }, 'messages.waiting: name a language first'],
    ['a text in place of a function', { en: { waiting: { timeLeft: 'x' } } }, 'timeLeft must be a function'],
    ['a function in place of a text', { en: { waiting: { signIn: () => 'x' } } }, 'signIn must be a string'],
    ['a text in place of several', { en: { waiting: 'x' } }, 'messages.en.waiting must be an object of texts'],
    ['something inherited', { en: { constructor: 'x' } }, 'messages.en.constructor: there is no such text'],
    ['nothing at all', 'x', 'messages: must be texts by language'],
  ])('a mistake in the words such as %s is a TypeError at startup that names it', (_, messages, error) => {
    const start = () => mfa({ service, messages: messages as NonNullable<MfaOptions['messages']> })

    expect(start).toThrow(TypeError)
    expect(start).toThrow(error)
  })

  it('a mistake in the words is also a compiler error', () => {
    // @ts-expect-error -- there is no such text
    const typo: MfaOptions = { messages: { en: { waiting: { sigIn: 'x' } } } }

    expect(() => mfa({ ...typo, service })).toThrow('there are signIn')
  })

  it('a language without texts is reported at startup', () => {
    expect(() => mfa({ service, language: 'nl' })).toThrow('language: no words for nl')
    expect(() => mfa({ service, language: 'nl', messages: { nl: {} } })).not.toThrow()
  })
})

describe('the language of the pages', () => {
  inFullRun.each<[string | undefined, string]>([
    [undefined, 'en'],
    ['ar', 'ar'],
    ['ar,ar-EG;q=0.9,en;q=0.8', 'ar'],
    ['fr', 'fr'],
    ['ja;q=0.8,nl', 'ja'],
    ['en;q=0.5,ar;q=0.8', 'ar'],
    ['en-gb,en;q=0.9', 'en-GB'],
    ['de-AT', 'de-AT'],
    ['nl,pt-BR;q=0.9,pt;q=0.8', 'pt-BR'],
    ['es-419', 'es-419'],
    ['ar;q=0,en', 'en'],
    ['nl,sv;q=0.9', 'en'],
    ['ja-Latn', 'ja'],
    ['*', 'en'],
    ['<script>', 'en'],
  ])('the language of the pages for a browser that prefers %j is %s', async (languages, language) => {
    const page = await waitingPage({}, languages)

    expect(page.text).toContain(`<html lang="${language}"`)
    expect(page.headers['content-language']).toBe(language)
    expect(page.headers['vary']).toMatch(/\bAccept-Language\b/)
  })

  inFullRun('the language of the pages is chosen by the app, whatever the browser prefers', async () => {
    const page = await waitingPage({ language: 'ar' }, 'en')

    expect(page.text).toContain('<html lang="ar" dir="rtl">')
    expect(page.headers['vary']).toBeUndefined()
  })

  inFullRun('the language that the app chooses for the pages can have a region, too', async () => {
    const page = await waitingPage({ language: 'de-AT' }, 'en')

    expect(page.text).toContain('<html lang="de-AT" dir="ltr">')
    expect(page.text).toContain(de.waiting.signIn)
  })

  it('the language of the pages is chosen by the app for each request, otherwise by the browser', async () => {
    const language: MfaOptions['language'] = (req) => /lang=(\w+)/.exec(req.url ?? '')?.[1]
    const app = await startWebApp({ mfa: { language } })
    const lookAt = async (path: string) => {
      const { text } = await app.browser().open(path, { 'accept-language': 'ar' })
      return /<html lang="(\w+)"/.exec(text)?.[1]
    }

    expect(await lookAt('/mfa?lang=en')).toBe('en')
    expect(await lookAt('/mfa?lang=nl')).toBe('en')
    expect(await lookAt('/mfa')).toBe('ar')
    expect(await lookAt('/mfa?lang=')).toBe('ar')
  })

  it('the language of the pages is also used for scripts', async () => {
    const app = await startWebApp({ mfa: { language: 'ar' } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const answer = await browser.fetch('/mfa/nowhere')

    const { headline, sentence } = ar.problems.not_found
    expect(answer.body).toEqual({ error: 'not_found', message: `${headline}. ${sentence}` })
    expect(answer.headers['content-language']).toBe('ar')
    expect((await app.browser().fetch('/mfa')).body.message).toContain(ar.problems.sign_in_first.headline)
  })

  inFullRun('a right-to-left language does not reverse numbers, codes or names', async () => {
    const app = await startWebApp({ mfa: { language: 'ar' } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const enrolling = await browser.visit('/mfa')
    await app.activate(enrolling)
    const waiting = await browser.visit('/mfa')

    expect(enrolling.text).toMatch(/<bdi dir="ltr" id="code">[a-z0-9]{5} [a-z0-9]{5}</)
    expect(waiting.text).toMatch(/dir="ltr" id="number">\d\d</)
    expect(waiting.text).toContain('<bdi>alice</bdi>')
    expect(waiting.text).toContain('<bdi>Test</bdi>')
  })
})

describe('the words of', () => {
  it.each(Object.entries({ de, fr, es, pt, ja, ar }))(
    'the words of %s are complete, and contain the same values as in English',
    (_, words) => {
      expect(valuesOf(words)).toEqual(valuesOf(en))
    },
  )

  it.each(Object.entries({ de, fr, es, pt, ja, ar }))('the words of %s are translated', (_, words) => {
    const english = new Map(texts(en))
    const untranslated = texts(words).filter(([path, text]) => english.get(path) === text)

    expect(untranslated.filter(([, text]) => !/^(Code|E-mail|Name|Passkeys|{value})$/i.test(text))).toEqual([])
  })

  it.each([
    ['ar', ar, /\p{sc=Arab}/u],
    ['ja', ja, /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u],
  ])('the words of %s contain no Latin letters', (_, words, script) => {
    const latinTexts = texts(words).filter(
      ([, text]) => !script.test(text) || /[A-Za-z]/.test(text.replaceAll(/QR|{value}/g, '')),
    )

    expect(latinTexts).toEqual([])
  })

  it('French words do not break lines before punctuation', () => {
    expect(texts(fr).filter(([, text]) => / [?!:;»]|« /.test(text))).toEqual([])
  })
})

describeInFullRun('dates', () => {
  it('dates look as in the region of the browser, with the digits that people type', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    const since = async (languages: string) => {
      const { text } = await browser.open('/mfa/devices', { 'accept-language': languages })
      return /(?:Since|Seit|منذ) ([^<]+)</.exec(text)?.[1]
    }

    expect(await since('en-US')).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/)
    expect(await since('en-GB')).toMatch(/^\d{1,2} [A-Z][a-z]{2,3} \d{4}$/)
    expect(await since('de-AT')).toMatch(/^\d{2}\.\d{2}\.\d{4}$/)
    expect(await since('ar-EG')).toMatch(/\d{4}$/)
  })
})

describeInFullRun('Japanese', () => {
  it('Japanese has no space between number and unit, or between sentences', async () => {
    const page = await waitingPage({}, 'ja')
    const wording = saidOf({ tag: 'ja', direction: 'ltr', words: ja }, { kind: 'wrong_code', triesLeft: 2 }, 0)

    expect(page.text).toContain(ja.waiting.timeLeft('90秒'))
    expect(wording.sentence).toBe('コードが使えるのは短い間の1回だけです。残り2回です。')
  })
})

describeInFullRun('Arabic', () => {
  it.each(Object.entries(walks))('Arabic is the only language on the pages %s', async (_, walk) => {
    const english: string[] = []
    for await (const { name, browser, path } of walk({ language: 'ar' })) {
      const { text } = await browser.visit(path)
      const words = saidBy(text).match(/[A-Za-z]{2,}/g) ?? []
      if (words.length > 0) english.push(`${name}: ${words.join(' ')}`)
    }

    expect(english).toEqual([])
  })
})

describe('English', () => {
  const sources = globSync('src/{express,passport}/**/*.{ts,eta}').filter((file) => !file.includes('/texts/'))
  const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n')

  it.each(texts(en).map(([path]) => path))('some page uses the English text %s', (path) => {
    const [part = '', ...rest] = path.split('.')
    // Of parts that are looked up by what happened, the part is what is named.
    const expectedNames = lookedUp.has(part) ? [part] : [rest.at(-1) ?? part]

    expect(expectedNames.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  })
})

const lookedUp = new Set(['ended', 'problems', 'notices'])

/** All that people see or have read to them; neither what they are called nor what they are to type. */
function saidBy(page: string): string {
  const attributes = [...page.matchAll(/(?:aria-label|alt|title|placeholder|data-words|data-ready)="([^"]*)"/g)]
  const text = page
    .replaceAll(/<(code|bdi)\b[^>]*>[^<]*<\/\1>/g, ' ')
    // The words of the app.
    .replaceAll(/<(h2|dt|dd) dir="auto">[^<]*<\/\1>/g, ' ')
    .replaceAll(/<span class="mark"[^>]*>[^<]*<\/span>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
  return `${text} ${attributes.map(([, value]) => value).join(' ')}`.replaceAll(/\b(Test|QR|nbsp)\b|\{time\}/g, ' ')
}

/** All texts of a language by their paths, with `{value}` for what is put into them. */
function texts(words: object, path = ''): [string, string][] {
  return Object.entries(words).flatMap(([key, value]: [string, unknown]) => {
    const textPath = path + key
    if (typeof value === 'string') return [[textPath, value]]
    if (typeof value === 'function') return [[textPath, (value as (...args: string[]) => string)('{value}', '{value}')]]
    return texts(value as object, `${textPath}.`)
  })
}

/** How many values each text contains. */
function valuesOf(words: object): Record<string, number> {
  return Object.fromEntries(texts(words).map(([path, text]) => [path, text.split('{value}').length - 1]))
}
