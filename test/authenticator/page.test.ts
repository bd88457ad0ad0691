import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gzipSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { languageNames } from '../../src/contract/languages.ts'
import { blockScript } from '../support/blocked-script.ts'
import { inFullRun } from '../support/full-run.ts'
import { startService } from '../support/running-service.ts'
import { add, phones } from './phone.ts'
import { button, headline } from './screen.ts'
import type { Prepare } from './phone.ts'

/** Where the service worker is what matters. */
const installing = await phones({ serviceWorkers: 'allow' })
const phone = await phones()

describe('the page', () => {
  inFullRun.each(['index-', 'en-', 'add-account-'])(
    'a page whose script %s… does not load says so after a while, and offers to load it again',
    async (name) => {
      const service = await startService()
      let script: Awaited<ReturnType<typeof blockScript>> | undefined
      const page = await phone.open(service, '', {}, async (fresh) => {
        script = await blockScript(fresh, name)
      })

      await script?.loadAgain()
      await headline(page, 'Add an account')

      expect(await script?.button.isVisible()).toBe(false)
    },
  )

  inFullRun.each(['index-', 'en-', 'add-account-'])(
    'a page whose script %s… does not load keeps the code of its link, however often it is loaded again',
    async (name) => {
      const service = await startService()
      const { code } = await service.enroll('alice')
      let script: Awaited<ReturnType<typeof blockScript>> | undefined
      const page = await phone.open(service, `#code=${code}`, {}, async (fresh) => {
        script = await blockScript(fresh, name)
      })

      await script?.loadAgain({ inVain: true })
      await script?.loadAgain()

      expect(await headline(page, 'Add this account?')).toBe(true)
      expect(page.url()).toBe(`${service.url}/authenticator/`)
    },
  )

  it('the authenticator page follows its content security policy, and contacts only its own service', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const complaints: string[] = []
    const requestedUrls: string[] = []
    const watch: Prepare = async (fresh) => {
      fresh.on('console', (message) => complaints.push(message.text()))
      fresh.on('pageerror', (error) => complaints.push(error.message))
      fresh.context().on('request', (request) => requestedUrls.push(request.url()))
      // What a script catches is in no console, but in the reports of the policy.
      await fresh.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => reportError(event.violatedDirective))
      })
    }

    const page = await installing.open(service, `#code=${code}`, {}, watch)
    await add(page)
    await button(page, 'Settings').click()
    await page.getByLabel('Language').selectOption('de')
    await page.getByLabel('Sprache').selectOption('en')
    await button(page, 'Back').click()
    const session = await service.ask('alice', { numberMatching: true })
    await headline(page, 'Sign in to Wiki?')
    await page.getByLabel('Enter the number').fill(session.number!)
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(complaints).toEqual([])
    expect([...new Set(requestedUrls.map((url) => new URL(url).origin))]).toEqual([service.url])
    // Fragments stay in the browser; what it asks for carries neither code nor number.
    expect(requestedUrls.filter((url) => /[?]|code=/.test(url.replace(/#.*/, '')))).toEqual([])
  })

  it('the authenticator page contains no inline scripts or styles, and allows none', async () => {
    const service = await startService()

    const response = await fetch(`${service.url}/authenticator/`)
    const policy = response.headers.get('content-security-policy')

    expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })

  it('the authenticator page starts with one script file, below 63 kB together with any language, compressed', () => {
    const folder = new URL('../../dist/authenticator/assets/', import.meta.url)
    const names = readdirSync(folder).filter((name) => name.endsWith('.js.br'))
    const contentOf = (name: string) => brotliDecompressSync(readFileSync(new URL(name, folder)))
    const start = names.filter((name) => name.startsWith('index-'))
    const words = names.filter((name) => Object.hasOwn(languageNames, name.split('-', 1)[0] ?? ''))
    const sizes = (files: readonly string[]) => files.map((name) => gzipSync(contentOf(name)).length)

    expect(start).toHaveLength(1)
    expect(contentOf(start[0]!).toString()).not.toMatch(/\bfrom ?"\.\/|\bimport ?"\.\//)
    expect(words).toHaveLength(Object.keys(languageNames).length)
    expect(sizes(start)[0]! + Math.max(...sizes(words))).toBeLessThan(63_000)
  })
})
