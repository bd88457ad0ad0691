import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { createDatabase, run } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
import { numberOn } from '../support/web-app.ts'
import { useEngine } from '../support/engines.ts'
import { startExample } from './start-example.ts'

it('the database of embedded() is served by a separate service, as docs/leaving.md says', async () => {
  const before = await startExample('minimal.js')
  const account = await before.passSecondStep(await signedIn(before))
  await before.stop()
  const database = `${before.folder}/mfa.sqlite`

  const [domain] = (await run('domain', 'list', '--database', database, '--json')).json
  const { key } = (
    await run('apikey', 'create', '--role', 'auth', '--domain', domain.id, '--database', database, '--json')
  ).json
  const service = await serve(database)
  onTestFinished(async () => {
    await service.stop()
  })
  const after = await startExample('hosted-service.js', {
    MFA_BASE_URL: `${service.origin}/api`,
    MFA_AUTHENTICATOR_URL: service.origin,
    MFA_API_KEY: key,
    MFA_DOMAIN_ID: domain.id,
  })
  const browser = await signedIn(after)

  expect((await browser.visit('/mfa')).text).toContain('id="number"')
  expect(account).toBeDefined()
})

describe('from SQLite to PostgreSQL', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })

  it('users of a separate service stay signed in when its database is moved as docs/leaving.md says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-leaving-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { apiKey, domainId } = await createDatabase(folder)
    const service = await serve(join(folder, 'mfa.sqlite'))
    const example = await startExample('hosted-service.js', {
      MFA_BASE_URL: `${service.origin}/api`,
      MFA_AUTHENTICATOR_URL: service.origin,
      MFA_API_KEY: apiKey,
      MFA_DOMAIN_ID: domainId,
    })
    const before = await signedIn(example)
    const account = await example.passSecondStep(before, '/', service.origin)
    await service.stop()
    const [moveIt = '', startIt = '', goBack = ''] = blocksAbout('From SQLite to PostgreSQL', await newDatabase())

    const moved = await shell(folder, moveIt).ended
    const refused = await shell(folder, 'npx second-factor user list --database mfa.sqlite').ended
    const { port } = new URL(service.origin)
    const served = shell(folder, startIt.replace('serve', `serve --port ${port}`))
    await served.printed(/listens on/)
    const signedInStill = await before.visit('/')
    const after = await signedIn(example)
    await example.answer(account, 'approve', numberOn(await after.visit('/mfa')))
    await after.submit('/mfa/complete')
    const signedInAgain = await after.visit('/')
    await served.stop()
    const restored = await shell(folder, goBack.replace('--revocations service.log', '--yes')).ended

    expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('nothing opens the file any more')])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was moved to postgres://')])
    expect([signedInStill.text, signedInAgain.text]).toEqual([
      expect.stringContaining('Hello'),
      expect.stringContaining('Hello'),
    ])
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('Restored')])
  })
})

/** The commands of a section of docs/leaving.md, with this address. */
function blocksAbout(heading: string, address: string): string[] {
  const page = readFileSync(join(root, 'docs/leaving.md'), 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? ''
  return Array.from(section.matchAll(/```sh\n([^]*?)```/g), ([, block = '']) =>
    block.replaceAll('postgres://mfa:password@db.example/mfa', address),
  )
}

/** Runs commands with the built package in place of an installed one. */
function shell(folder: string, commands: string) {
  const program = `"${process.execPath}" "${join(root, 'bin/second-factor.js')}"`
  const script = commands.replaceAll('npx second-factor', program).replace(/"[^"]*" (?="[^"]*" serve)/, 'exec $&')
  const child = spawn('sh', ['-e', '-c', script], { cwd: folder, env: { ...process.env, NODE_NO_WARNINGS: '1' } })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  return {
    ended,
    async printed(pattern: RegExp) {
      await expect.poll(() => stdout + stderr).toMatch(pattern)
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}

async function signedIn(example: Awaited<ReturnType<typeof startExample>>) {
  const browser = example.browser()
  await example.signIn(browser, 'alice')
  return browser
}
