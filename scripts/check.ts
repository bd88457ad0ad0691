/** `npm test`: the whole check, cheapest first. What follows `--` goes to vitest: `npm test -- test/client`. */
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { findViolations } from './boundaries.ts'
import { build } from './build.ts'
import { failures } from './failures.ts'
import { root, run } from './run.ts'

const steps: readonly (readonly [name: string, step: () => Promise<boolean>])[] = [
  ['types', checkTypes],
  ['format', () => run('oxfmt/bin/oxfmt', ['--check', '.'])],
  ['lint', () => run('oxlint/bin/oxlint', ['--type-aware'])],
  ['boundaries', checkBoundaries],
  ['lockfile', checkLockfile],
  ['build', build],
  ['package', () => run('publint/src/cli.js', ['run', root, '--strict'])],
  ['tests', () => run('vitest/vitest.mjs', ['run', ...process.argv.slice(2)])],
]

/** Browser code has its own libraries and its own rules. */
async function checkTypes(): Promise<boolean> {
  const projects = ['tsconfig.json', 'src/browser/tsconfig.json', 'src/authenticator/tsconfig.json']
  let good = true
  for (const project of projects.filter((path) => existsSync(join(root, path)))) {
    if (!(await run('typescript/bin/tsc', ['--noEmit', '-p', project]))) good = false
  }
  return good
}

async function checkBoundaries(): Promise<boolean> {
  const violations = await findViolations(root)
  for (const violation of violations) console.error(violation)
  return violations.length === 0
}

/** An address would tie everybody to one registry; credentials can hide in one. */
async function checkLockfile(): Promise<boolean> {
  const lines = (await readFile(join(root, 'package-lock.json'), 'utf8')).split('\n')
  const at = lines.findIndex((line) => line.includes('"resolved"'))
  if (at === -1) return true
  console.error(`package-lock.json:${at + 1}: names a registry; install with the .npmrc of this folder.`)
  return false
}

const report = join(root, 'reports/vitest.json')
await rm(report, { force: true })
for (const [name, step] of steps) {
  const start = performance.now()
  console.log(`\n── ${name}`)
  const good = await step()
  console.log(`${good ? 'ok' : 'FAILED'}: ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`)
  if (!good) {
    process.exitCode = 1
    break
  }
}
for (const line of await failures({ report, root })) console.log(line)
