import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'

import { startTestService } from 'second-factor/testing'
import type { TestDevice } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { verifyApproval } from '../../src/client/index.ts'
import type { Approval } from '../../src/contract/approvals.ts'
import { serveRest } from '../support/rest-bridge.ts'

/** A service that processes can reach, with devices of a test. */
async function startService() {
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  const service = await startTestService()
  const rest = await serveRest(service)
  onTestFinished(async () => {
    await service.close()
    await rm(folder, { recursive: true })
  })
  return { service, folder, env: { ...process.env, NODE_NO_WARNINGS: '1', ...rest.env } as NodeJS.ProcessEnv }
}

type Started = Awaited<ReturnType<typeof startService>>

/** Waits until the action is on the device. */
async function actionOn(device: TestDevice, title: string): Promise<void> {
  await expect.poll(async () => (await device.pendingActions()).map((action) => action.title)).toContain(title)
}

/** Starts a tool server as an agent does. */
function startTool(name: string, { folder, env }: Started) {
  const child = spawn(process.execPath, [join(root, 'examples', name)], {
    cwd: folder,
    env: { ...env, APPROVER: 'alice' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const waiting = new Map<number, (answer: any) => void>() // oxlint-disable-line typescript/no-explicit-any -- tests read what they expect
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as { id: number }
    waiting.get(answer.id)?.(answer)
  })
  let last = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method: string, params: object = {}) =>
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
    new Promise<any>((resolve) => {
      last += 1
      waiting.set(last, resolve)
      send({ id: last, method, params })
    })
  return { request, send, pay: (args: object) => request('tools/call', { name: 'pay', arguments: args }) }
}

describe('agent-tool.js', () => {
  const payment = { to: 'DE89370400440532013000', cents: 1250 }
  const paid = (folder: string) =>
    existsSync(join(folder, 'payments.jsonl')) ? readFileSync(join(folder, 'payments.jsonl'), 'utf8') : ''

  it('agent-tool.js pays once a person has approved exactly its arguments', async () => {
    const started = await startService()
    const device = await started.service.enroll('alice')
    const tool = startTool('agent-tool.js', started)
    expect((await tool.request('initialize')).result.capabilities).toEqual({ tools: {} })
    expect((await tool.request('tools/list')).result.tools).toMatchObject([{ name: 'pay' }])

    const answer = tool.pay({ ...payment, title: 'Harmless' })
    await actionOn(device, 'Pay €12.50')
    expect(await device.pendingActions()).toMatchObject([
      { title: 'Pay €12.50', details: [{ label: 'To', value: payment.to }], requester: 'Payment agent' },
    ])
    expect(paid(started.folder)).toBe('')
    await device.approveAction('Pay €12.50')

    expect((await answer).result).toMatchObject({ isError: false })
    expect(JSON.parse(paid(started.folder))).toMatchObject(payment)
  })

  it('agent-tool.js pays nothing after a denial, an expiry or a cancellation, and tells the model', async () => {
    const started = await startService()
    const device = await started.service.enroll('alice')
    const tool = startTool('agent-tool.js', started)

    const denied = tool.pay(payment)
    await actionOn(device, 'Pay €12.50')
    await device.denyAction('Pay €12.50')
    expect((await denied).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('user_denied') }],
    })

    const expired = tool.pay({ ...payment, cents: 300 })
    await actionOn(device, 'Pay €3.00')
    await started.service.clock.advance(301)
    expect((await expired).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('expired') }],
    })

    const canceled = tool.pay({ ...payment, cents: 400 })
    await actionOn(device, 'Pay €4.00')
    tool.send({ method: 'notifications/cancelled', params: { requestId: 3 } })
    expect((await canceled).result).toMatchObject({ isError: true })
    expect(await device.pendingActions()).toEqual([])

    expect((await tool.pay({ to: 'Anna', cents: 1 })).result.content[0].text).toContain('Not paid: `to` is an IBAN')
    expect(paid(started.folder)).toBe('')
  })
})

describe('deploy.sh', () => {
  async function startDeployment() {
    const started = await startService()
    const { folder, env, service } = started
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: folder })
    git('init', '--quiet')
    await writeFile(join(folder, 'app.txt'), '4.2')
    git('add', 'app.txt')
    git('commit', '--quiet', '-m', 'Version 4.2')
    git('tag', 'v4.2')
    // npx finds the package that the test has built.
    const program = join(root, 'bin', 'second-factor.js')
    await writeFile(join(folder, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`)
    await chmod(join(folder, 'npx'), 0o755)
    await writeFile(join(folder, 'trust.json'), JSON.stringify(await service.client.approvals.keys()))
    await service.addUser('dora')
    const [anna, ben] = [await service.enroll('anna'), await service.enroll('ben')]
    await service.enroll('cem')
    const path = `${folder}${delimiter}${process.env['PATH']}`
    const child = spawn('sh', [join(root, 'examples', 'deploy.sh'), 'v4.2', 'target'], {
      cwd: folder,
      env: { ...env, PATH: path, DEPLOYER: 'dora', TRUST: 'trust.json' },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const code = new Promise<number | null>((resolve) => void child.on('close', resolve))
    await expect.poll(() => output).toContain('Waiting')
    const proof = (): Approval => {
      const name = readdirSync(folder).find((file) => file.startsWith('approval-')) ?? ''
      return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Approval
    }
    /** Deploys another commit, with a service that answers with the proof of this one. */
    const deployWithThisProof = async () => {
      const earlier = join(folder, 'earlier.json')
      await writeFile(earlier, JSON.stringify(proof()))
      const shim = `#!/bin/sh\nshift\n[ "$1" = ask ] && exec cat "${earlier}"\nexec "${process.execPath}" "${program}" "$@"\n`
      await writeFile(join(folder, 'npx'), shim)
      await writeFile(join(folder, 'app.txt'), '4.3')
      git('commit', '--quiet', '-am', 'Version 4.3')
      const options = { cwd: folder, env: { ...env, PATH: path, TRUST: 'trust.json' }, encoding: 'utf8' } as const
      const { status, stderr } = spawnSync('sh', [join(root, 'examples', 'deploy.sh'), 'HEAD', 'other'], options)
      return { status, stderr, deployed: existsSync(join(folder, 'other')) }
    }
    const deployed = () => existsSync(join(folder, 'target', 'app.txt'))
    return { ...started, code, proof, anna, ben, deployed, deployWithThisProof }
  }

  it('deploy.sh deploys after two people have approved, and keeps a proof that verifies', async () => {
    const { anna, ben, code, proof, deployed, service } = await startDeployment()

    await anna.approveAction('Deploy v4.2 to production')
    expect(deployed()).toBe(false)
    await ben.approveAction('Deploy v4.2 to production')

    expect(await code).toBe(0)
    expect(deployed()).toBe(true)
    const verified = verifyApproval(proof(), { trust: await service.client.approvals.keys() })
    expect(verified).toMatchObject({ content: { title: 'Deploy v4.2 to production', needed: 2 } })
  })

  it('deploy.sh deploys nothing by the valid proof of another commit', async () => {
    const { anna, ben, code, deployWithThisProof } = await startDeployment()
    await anna.approveAction('Deploy v4.2 to production')
    await ben.approveAction('Deploy v4.2 to production')
    await code

    const other = await deployWithThisProof()

    expect(other).toMatchObject({ status: 3, deployed: false })
    expect(other.stderr).toMatch(/^Valid[^]*The proof is of another commit\.\n$/)
  })

  it('deploy.sh deploys nothing and exits with 1 after two denials, and with 2 when nobody answers', async () => {
    const denied = await startDeployment()
    await denied.anna.denyAction()
    await denied.ben.denyAction().catch(() => undefined)
    expect(await denied.code).toBe(1)
    expect([denied.deployed(), denied.proof().state]).toEqual([false, 'denied'])

    const expired = await startDeployment()
    await expired.service.clock.advance(901)
    expect(await expired.code).toBe(2)
    expect([expired.deployed(), expired.proof().state]).toEqual([false, 'expired'])
  })
})
