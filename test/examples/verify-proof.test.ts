import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { verifyApproval } from '../../src/client/index.ts'
import { startTestService } from '../../src/testing/index.ts'

/** Runs the example as its readers do. It is no app, so nothing like startExample('verify-proof.js') fits. */
async function run(trust: string, input: string) {
  const child = spawn(process.execPath, [join(root, 'examples/verify-proof.js'), trust])
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr }
}

it('verify-proof.js verifies the export of a real service, and rejects it once it is changed', async () => {
  const service = await startTestService()
  onTestFinished(() => service.close())
  const device = await service.enroll('alice')
  const { client, domainId } = service
  const { id } = await client.approvals.create(domainId, { user: { username: 'alice' }, title: 'Deploy 4.2' })
  await device.approveAction('Deploy 4.2')
  const keys = await client.approvals.keys()
  const { approvals } = await client.approvals.list(domainId)
  const folder = await mkdtemp(join(tmpdir(), 'proof-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'trust.json'), JSON.stringify(keys))
  const exported = approvals.map((approval) => `${JSON.stringify(approval)}\n`).join('')

  const { stdout } = await run(join(folder, 'trust.json'), exported)
  const changed = await run(join(folder, 'trust.json'), exported.replace(/"answer":"ey/, '"answer":"eY'))

  expect(stdout).toMatch(/^alice: approve "Deploy 4\.2" at \d{4}-/)
  expect(changed.stdout).toBe('')
  expect(changed.stderr).toContain('receipt of another answer')
  expect(verifyApproval(approvals[0]!, { trust: keys })).toMatchObject({
    approval: id,
    content: { title: 'Deploy 4.2' },
  })
})
