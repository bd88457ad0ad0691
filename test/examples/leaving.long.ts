import { expect, it, onTestFinished } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
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

async function signedIn(example: Awaited<ReturnType<typeof startExample>>) {
  const browser = example.browser()
  await example.signIn(browser, 'alice')
  return browser
}
