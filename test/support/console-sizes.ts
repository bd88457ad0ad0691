import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gzipSync } from 'node:zlib'

import { languageNames } from '../../src/contract/languages.ts'

const folder = new URL('../../dist/console/assets/', import.meta.url)

/** What browsers load of the built console, bytes of gzip. Of texts it is the largest language. */
export function consoleSizes() {
  const names = readdirSync(folder).filter((name) => /\.(js|css)\.br$/.test(name))
  const size = (name: string) => gzipSync(brotliDecompressSync(readFileSync(new URL(name, folder)))).length
  const sum = (some: readonly string[]) => some.reduce((total, name) => total + size(name), 0)
  const textsOf = (prefix: string) =>
    names.filter((name) => Object.keys(languageNames).some((tag) => name.startsWith(`${prefix}${tag}-`)))
  const [texts, openIdTexts] = [textsOf(''), textsOf('openid-')]
  const start = names.filter((name) => name.startsWith('index-'))
  const openId = names.filter((name) => name.startsWith('openid-') && !openIdTexts.includes(name))
  const others = [...texts, ...openIdTexts, ...start, ...openId]
  return {
    /** The script and the style that every page needs. */
    start: sum(start),
    texts: Math.max(...texts.map(size)),
    languages: [texts.length, openIdTexts.length],
    /** The screens that are loaded when they are opened, without those of OpenID Connect. */
    screens: sum(names.filter((name) => !others.includes(name))),
    /** Those of OpenID Connect, and their texts. */
    openId: sum(openId),
    openIdTexts: Math.max(...openIdTexts.map(size)),
  }
}
