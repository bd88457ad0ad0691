import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { describeInFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const engines = [
  [
    'ejs',
    `<!doctype html>
<html lang="<%= language.tag %>" dir="<%= language.direction %>">
<head><title><%= headline %> | <%= appName %></title><link rel="stylesheet" href="<%= styleSheet %>"><%- head %></head>
<body class="<%= page %>"><nav>Portal of <%= username %></nav><%- content %><p class="own"><%= number %></p></body>
</html>`,
  ],
  [
    'pug',
    `doctype html
html(lang=language.tag dir=language.direction)
  head
    title= headline + ' | ' + appName
    link(rel='stylesheet' href=styleSheet)
    != head
  body(class=page)
    nav= 'Portal of ' + username
    != content
    p.own= number`,
  ],
] as const

/** An app with a view of its own for the pages of `mfa()`. */
async function startOwnPages(engine: string, view: string) {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-views-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, `second-step.${engine}`), view)
  const error = vi.fn<(message: string) => void>()
  const app = await startWebApp({
    mfa: { views: { challenge: 'second-step' }, logger: { info() {}, warn() {}, error } },
    routes: (express) => express.set('views', folder).set('view engine', engine),
  })
  return { app, browser: app.browser(), error }
}

describeInFullRun.each(engines)("a view of the app's own, with %s", (engine, view) => {
  it('a view of the app’s own frames every page, which works as before', async () => {
    const { app, browser, error } = await startOwnPages(engine, view)

    await app.signIn(browser, 'alice')
    const setup = await browser.visit('/account')
    const account = await app.activate(setup)
    const page = await browser.visit('/mfa')
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')

    expect(setup.text).toContain('<body class="enrolling"><nav>Portal of alice</nav><main class="card"')
    expect(page.text).toMatch(/<html lang="en" dir="ltr">\s*<head>\s*<title>Approve the sign-in \| Test<\/title>/)
    expect(page.text).toContain('<body class="waiting"><nav>Portal of alice</nav><main class="card"')
    expect(page.text).toContain(`<p class="own">${numberOn(page)}</p>`)
    expect(page.text).toContain('<script type="module" src="/mfa/assets/challenge.js')
    expect(page.text.match(/<html|<body|<main/g)).toHaveLength(3)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect((await browser.open('/account')).body.verified).toBe(true)
    expect(error).not.toHaveBeenCalled()
  })
})

describe('a view that fails', () => {
  it('a view that fails is replaced by our page, and the log says why', async () => {
    const { app, browser, error } = await startOwnPages('ejs', '<%= missing.name %>')

    await app.signIn(browser, 'alice')
    const page = await browser.visit('/account')

    expect(page.status).toBe(200)
    expect(page.text).toContain('<title>Set up your device · Test</title>')
    expect(error).toHaveBeenCalledWith(
      expect.stringMatching(
        /^mfa: the view second-step failed, so the page of mfa\(\) was sent: .*missing is not defined/s,
      ),
    )
  })
})
