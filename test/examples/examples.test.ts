import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { codesOf } from '../express/own-factors.ts'
import { describeInFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

describe('minimal.js', async () => {
  const example = await startExample('minimal.js', {}, { until: afterAll })

  it('minimal.js prints its address, and signs users in after the second step', async () => {
    const browser = example.browser()
    await example.signIn(browser, 'alice')

    expect((await browser.open('/')).headers['location']).toBe('/mfa')
    await example.passSecondStep(browser)

    expect((await browser.open('/')).text).toContain('You passed by push')
    expect(example.stdout()).toContain('Sign in as alice with the password "secret".')
    expect(example.stdout()).toContain(new URL(example.url).port)
  })

  it('minimal.js signs users out from the challenge page', async () => {
    const browser = example.browser()
    await example.signIn(browser, 'bob')

    await browser.submit('/mfa/sign-out')

    expect((await browser.visit('/')).path).toBe('/login')
  })
})

describeInFullRun('require-mfa.js', () => {
  it('require-mfa.js requires the second step on one route, and returns to it', async () => {
    const example = await startExample('require-mfa.js')
    const browser = example.browser()
    await example.signIn(browser, 'alice')

    expect((await browser.open('/')).text).toContain('Send money')
    expect((await browser.submit('/transfer')).headers['location']).toBe('/mfa')
    await example.passSecondStep(browser, '/transfer')

    expect((await browser.submit('/transfer')).text).toContain('Confirmed by push')
  })
})

describeInFullRun('codes-only.js', () => {
  it('codes-only.js lets users set up an authenticator app, and asks for its codes', async () => {
    const example = await startExample('codes-only.js')
    const browser = example.browser()
    await example.signIn(browser, 'alice')
    const code = codesOf({ clock: systemClock }, await browser.visit('/'))

    await browser.submit('/mfa/enroll/app', { code: code() })
    await browser.submit('/mfa/code', { code: code(1) })

    expect((await browser.open('/')).text).toContain('Hello, Alice')
  })
})

describe('the examples', () => {
  const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.js'))
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
  const tested = tests.map((name) => read(`test/examples/${name}`)).join('\n')

  it.each(examples)('%s has at most 60 lines, is listed in the README, and has a test in *.test.ts', (name) => {
    expect(read(`examples/${name}`).split('\n').length).toBeLessThanOrEqual(61)
    expect(read('examples/README.md')).toContain(`(${name})`)
    expect(tested).toMatch(new RegExp(`(?:start(?:Example|Tool)\\('|'examples/)${name.replaceAll('.', '\\.')}'`))
  })

  const folders = ['nest/main.ts', 'next/server.js', 'adminjs/server.js']

  it.each(folders)(
    '%s is listed in the README, has a test in *.test.ts, and each file beside it has at most 60 lines',
    (start) => {
      expect(read('examples/README.md')).toContain(`${start})`)
      expect(tested).toContain(start === 'nest/main.ts' ? 'startExample(await buildNest(' : `startExample('${start}'`)
      const names = readdirSync(join(root, 'examples', dirname(start)), { recursive: true, encoding: 'utf8' })
      const lengths = names
        .filter((name) => /\.[jt]s$/.test(name))
        .map((name) => read(`examples/${dirname(start)}/${name}`).split('\n').length)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(61)
    },
  )
})
