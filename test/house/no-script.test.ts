import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { languageNames } from '../../src/contract/languages.ts'

describe.each(['console', 'authenticator'])('the page of the %s without JavaScript', (app) => {
  it.each([
    ['whose browser runs no JavaScript', /<noscript>(.*)<\/noscript>/s],
    ['whose scripts do not load', /<form class="not-loaded">(.*)<\/form>/s],
  ])('a page %s says so in each of our languages', (_, pattern) => {
    const html = readFileSync(new URL(`../../src/${app}/index.html`, import.meta.url), 'utf8')
    const [, notice = ''] = pattern.exec(html) ?? []

    const languages = [...notice.matchAll(/<p(?: lang="(\w+)")?/g)].map(([, tag = 'en']) => tag)
    expect(languages.toSorted()).toEqual(Object.keys(languageNames).toSorted())
    expect(notice).toContain('<p lang="ar" dir="rtl">')
  })
})
