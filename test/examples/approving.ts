import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'

import { expect, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import type { Approval } from '../../src/contract/approvals.ts'

/** Where an example runs, and what it knows of the service. */
export interface Place {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** An empty folder until the end of the test. @param env tells examples where the service is. */
export async function placeFor(env: NodeJS.ProcessEnv): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return { folder, env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } }
}

/** Starts a tool server as an agent does. */
export function startTool(name: string, { folder, env }: Place) {
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
  const payments = join(folder, 'payments.jsonl')
  return {
    request,
    send,
    pay: (args: object) => request('tools/call', { name: 'pay', arguments: args }),
    /** What was paid, one payment a line. */
    paid: () => (existsSync(payments) ? readFileSync(payments, 'utf8') : ''),
  }
}

/** Starts deploy.sh for dora, with anna, ben and cem as approvers, and waits until they are asked. @param trust The keys of receipts. */
export async function startDeployment({ folder, env }: Place, trust: object) {
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
  await writeFile(join(folder, 'trust.json'), JSON.stringify(trust))
  const path = `${folder}${delimiter}${process.env['PATH']}`
  const child = spawn('sh', [join(root, 'examples', 'deploy.sh'), 'v4.2', 'target'], {
    cwd: folder,
    env: { ...env, PATH: path, DEPLOYER: 'dora', TRUST: 'trust.json' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const code = new Promise<number | null>((resolve) => void child.on('close', resolve))
  await expect.poll(() => output).toContain('Waiting')
  /** The file that it keeps. */
  const proof = (): Approval => {
    const name = readdirSync(folder).find((file) => file.startsWith('approval-')) ?? ''
    return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Approval
  }
  return {
    /** Its exit code, once it has ended. */
    code,
    proof,
    deployed: () => existsSync(join(folder, 'target', 'app.txt')),
    /** Deploys another commit, with a service that answers with the proof of this one. */
    deployWithThisProof: async () => {
      const earlier = join(folder, 'earlier.json')
      await writeFile(earlier, JSON.stringify(proof()))
      const answering = `#!/bin/sh\nshift\n[ "$1" = ask ] && exec cat "${earlier}"\nexec "${process.execPath}" "${program}" "$@"\n`
      await writeFile(join(folder, 'npx'), answering)
      await writeFile(join(folder, 'app.txt'), '4.3')
      git('commit', '--quiet', '-am', 'Version 4.3')
      const options = { cwd: folder, env: { ...env, PATH: path, TRUST: 'trust.json' }, encoding: 'utf8' } as const
      const { status, stderr } = spawnSync('sh', [join(root, 'examples', 'deploy.sh'), 'HEAD', 'other'], options)
      return { status, stderr, deployed: existsSync(join(folder, 'other')) }
    },
  }
}
