import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import type { Approval } from '../../src/contract/approvals.ts'
import { approvalsOf, approver } from '../service/features/approvals/approving.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'

interface Keys {
  readonly keys: readonly { readonly kid: string }[]
}

let running: Running
let folder: string
let keys: Keys
let exported: Approval[]

/** The export of a service, in which one person has approved two actions, two have approved a third, and one has denied a fourth. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-proof-'))
  running = await startService()
  const app = approvalsOf(running)
  const [anna, ben, cem] = [await approver(running), await approver(running), await approver(running)]
  for (const decision of ['approve', 'approve', 'deny']) {
    const { json } = await app.ask({ user: { id: anna.id } })
    await anna.decide(json.id, decision)
  }
  const people = { approvers: [{ id: anna.id }, { id: ben.id }], needed: 2, requestedBy: cem.id }
  const { json } = await app.ask(people)
  await anna.decide(json.id, 'approve')
  await ben.decide(json.id, 'approve')
  exported = (await running.call('GET', app.path)).json.approvals
  keys = (await running.call('GET', '/approval-keys')).json
})
afterAll(async () => {
  await running.close()
  await rm(folder, { recursive: true })
})

/** Runs the example. @returns what it prints, or the error that ends it. */
async function verify(approval: Approval, trust: object = keys): Promise<string> {
  const files = [join(folder, 'approval.json'), join(folder, 'trust.json')] as const
  await writeFile(files[0], JSON.stringify(approval))
  await writeFile(files[1], JSON.stringify(trust))
  return new Promise((resolve) =>
    execFile(process.execPath, [join(root, 'examples/verify-proof.js'), ...files], (error, stdout, stderr) =>
      resolve(error ? `refused: ${stderr}` : stdout),
    ),
  )
}

/** @returns the approval with other proofs. */
const withProof = (approval: Approval, change: object): Approval => ({
  ...approval,
  approvers: approval.approvers.map((each) => ({ ...each, proof: { ...each.proof!, ...change } })),
})

describe('verify-proof.js', () => {
  it('verify-proof.js accepts approvals from the export of a service', async () => {
    const [one, , , two] = exported

    expect(await verify(one!)).toContain('Transfer €250.00')
    expect(await verify(two!)).toMatch(/was approved by Map\(2\)/)
  })

  inFullRun('verify-proof.js refuses an approval that too few people gave', async () => {
    const [, , denied, two] = exported

    expect(await verify(denied!)).toContain('too few people')
    expect(await verify({ ...two!, approvers: two!.approvers.slice(0, 1) })).toContain('too few people')
    expect(await verify({ ...two!, approvers: [two!.approvers[0]!, two!.approvers[0]!] })).toContain('too few people')
    expect(await verify({ ...two!, content: '{"needed":0}', approvers: [] })).toContain('too few people')
  })

  inFullRun('verify-proof.js refuses changed content, around the proof and in it', async () => {
    const [approval] = exported
    const { answer } = approval!.approvers[0]!.proof!
    const [header, payload, signature] = answer.split('.')
    const changed = Buffer.from(payload!, 'base64url').toString().replaceAll('250', '950')
    const forged = [header, Buffer.from(changed).toString('base64url'), signature].join('.')

    expect(await verify({ ...approval!, content: approval!.content.replace('250', '950') })).toContain('the content')
    expect(await verify(withProof(approval!, { answer: forged }))).toContain('signature verification failed')
  })

  inFullRun('verify-proof.js refuses the receipt of another answer', async () => {
    const [one, other] = exported
    const { answer } = other!.approvers[0]!.proof!

    expect(await verify(withProof(one!, { answer }))).toContain('not valid: ')
    expect(await verify({ ...one!, id: other!.id })).toContain('the approval')
  })

  inFullRun('verify-proof.js refuses receipts of a key that is not trusted, also under a trusted name', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }
    const [approval] = exported
    const { receipt } = approval!.approvers[0]!.proof!
    const own = await new CompactSign(Buffer.from(receipt.split('.')[1]!, 'base64url'))
      .setProtectedHeader({ alg: 'ES256', typ: 'approval-receipt+jws', kid: keys.keys[0]!.kid })
      .sign(privateKey)

    expect(await verify(approval!, { keys: [{ ...jwk, kid: 'foreign' }] })).toContain('no applicable key')
    expect(await verify(approval!, { keys: [{ ...jwk, kid: keys.keys[0]!.kid }] })).toContain('verification failed')
    expect(await verify(withProof(approval!, { receipt: own }))).toContain('signature verification failed')
  })

  inFullRun('verify-proof.js refuses one kind of signature where the other one is expected', async () => {
    const [approval] = exported
    const { answer, receipt } = approval!.approvers[0]!.proof!

    expect(await verify(withProof(approval!, { receipt: answer, answer: receipt }))).toMatch(/^refused/)
  })
})
