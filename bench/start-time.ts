/**
 * `npm run build && node bench/start-time.ts [folder]`: what mfa() adds to the start of an app that has loaded Express, and
 * what others add, of those that are installed in `folder`. Each in processes of its own, in turns; medians and spread,
 * milliseconds.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { root } from '../scripts/run.ts'
import { median } from './spread.ts'

interface Candidate {
  readonly name: string
  /** The script of an app, from loading to the middleware that it can use. */
  readonly code: string
  readonly folder: string
}

const ownCandidates: readonly Candidate[] = [
  {
    name: 'second-factor',
    code: `const { mfa } = await import('second-factor')
      mfa({ service: { baseUrl: 'https://mfa.example/api', apiKey: 'k', domainId: 'd' }, user: () => null })`,
    folder: root,
  },
  {
    name: 'passport',
    code: `const { default: passport } = await import('passport')
      passport.session()`,
    folder: root,
  },
]

const otherPackages: readonly (readonly [name: string, code: string])[] = [
  [
    'express-openid-connect',
    `const { default: connect } = await import('express-openid-connect')
    connect.auth({
      issuerBaseURL: 'https://a.example', baseURL: 'http://localhost', clientID: 'c', secret: 's'.repeat(32) })`,
  ],
  ['@simplewebauthn/server', `await import('@simplewebauthn/server')`],
]

/** @returns of each candidate what it added in each round, ms. */
export function measureStarts(candidates: readonly Candidate[], rounds = 25): Map<string, number[]> {
  const times = new Map<string, number[]>(candidates.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const candidate of candidates) times.get(candidate.name)?.push(start(candidate))
  }
  return times
}

function start({ code, folder }: Candidate): number {
  const script = `
    const { default: express } = await import(${JSON.stringify(join(root, 'node_modules/express/index.js'))})
    express()
    const before = performance.now()
    ${code}
    process.stdout.write(String(performance.now() - before), () => process.exit())`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder, stdio: 'pipe' }),
  )
}

export const secondFactor = ownCandidates.slice(0, 1)

if (import.meta.main) {
  const folder = process.argv[2]
  const installed = otherPackages.filter(
    ([name]) => folder !== undefined && existsSync(join(folder, 'node_modules', name)),
  )
  const peers = installed.map(([name, code]) => ({ name, code, folder: folder ?? root }))
  for (const [name, times] of measureStarts([...ownCandidates, ...peers])) {
    const [shortest, longest] = [Math.min(...times), Math.max(...times)]
    console.log(`${name.padEnd(24)} ${median(times).toFixed(0)} ms, ${shortest.toFixed(0)} to ${longest.toFixed(0)}`)
  }
}
