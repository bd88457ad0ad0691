/** `npm test`: all checks, the cheapest first. Arguments after `--` go to vitest: `npm test -- test/client`. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { drivers } from '../test/service/engine/database/drivers.ts'
import { findViolations } from './boundaries.ts'
import { build } from './build.ts'
import { generateTexts } from './catalogs.ts'
import { failures } from './failures.ts'
import { tsc } from './tsc.ts'
import { root, run } from './run.ts'

type Step = readonly [name: string, step: () => Promise<boolean>]

/** The steps of a group run in parallel. A group starts when every step of the previous group has succeeded. */
const groups: readonly (readonly Step[])[] = [
  [
    ['types', () => checkTypes('tsconfig.json')],
    // Browser code has its own libraries and its own rules.
    ['types of src/authenticator', () => checkTypes('src/authenticator/tsconfig.json')],
    ['types of src/console', () => checkTypes('src/console/tsconfig.json')],
    ['types of src/browser', () => checkTypes('src/browser/tsconfig.json')],
    // Without the rules that need types, which take ten times as long as all others: `npm run lint` has them.
    ['lint', () => run('oxlint/bin/oxlint', [], { buffered: true })],
    ['format', () => run('oxfmt/bin/oxfmt', ['--check', '.'], { buffered: true })],
    ['boundaries', checkBoundaries],
    ['lockfile', checkLockfile],
    ['build', () => build({ checked: true })],
  ],
  [
    // Nest needs decorators as TypeScript had them first, and reads the declarations of the build.
    ['types of examples/nest', () => checkTypes('test/types/tsconfig.nest.json')],
    ['package', () => run('publint/src/cli.js', ['run', root, '--strict'], { buffered: true })],
    ['tests', runTests],
  ],
]

/** Checks again only what depends on a file that has changed since the last time: a full check takes ten times as long. */
function checkTypes(project: string): Promise<boolean> {
  const cacheFile = join(root, 'node_modules/.cache/second-factor', `types-${project.replaceAll('/', '-')}`)
  return tsc(['--noEmit', '--incremental', '--tsBuildInfoFile', `${cacheFile}.tsbuildinfo`, '-p', project])
}

async function checkBoundaries(): Promise<boolean> {
  const violations = await findViolations(root)
  for (const violation of violations) console.error(violation)
  return violations.length === 0
}

/** Without arguments, the tests of the short run run, each once; with names of files, all tests of those files. */
function runTests(): Promise<boolean> {
  const names = process.argv.slice(2)
  if (names.length > 0) return run('vitest/vitest.mjs', ['run', ...names])
  const driven = drivers.flatMap((file) => ['--exclude', `test/service/${file}`])
  return run('vitest/vitest.mjs', ['run', ...driven], { env: { SHORT_RUN: '1' } })
}

/** Addresses in the lockfile would tie everyone to one registry, and could contain credentials. */
async function checkLockfile(): Promise<boolean> {
  const lines = (await readFile(join(root, 'package-lock.json'), 'utf8')).split('\n')
  const index = lines.findIndex((line) => line.includes('"resolved"'))
  if (index === -1) return true
  console.error(`package-lock.json:${index + 1}: names a registry. Run npm install with the .npmrc of this folder.`)
  return false
}

async function runStep([name, step]: Step): Promise<boolean> {
  const start = performance.now()
  const succeeded = await step()
  console.log(`${succeeded ? 'ok' : 'FAILED'}: ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return succeeded
}

const report = join(root, 'reports/vitest.json')
await rm(report, { force: true })
await generateTexts()
for (const group of groups) {
  console.log(`\n── ${group.map(([name]) => name).join(', ')}`)
  const results = await Promise.all(group.map(runStep))
  if (results.every(Boolean)) continue
  process.exitCode = 1
  break
}
for (const line of await failures({ report, root })) console.log(line)
