/** Runs the mutants that the parent process sends. This file runs in the copy, so its imports build the copy. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createVitest, type TestModule } from 'vitest/node'

import type { Mutant } from '../../test/mutants/mutant.ts'
import { buildAssets } from '../assets.ts'
import { build } from '../build.ts'
import { applyChange, changesOf, titlePattern } from './lists.ts'

/** The result of one mutant. Only `killed` is good. */
export interface Verdict {
  readonly verdict: 'killed' | 'survived' | 'broken'
  /** The error of the test that failed, or why the mutant was not killed. */
  readonly detail: string
}

/** A message from the parent process. */
export interface Task {
  readonly mutant: Mutant
  /** All titles of the same test file, which run together without a change. */
  readonly ofFile: readonly string[]
}

const copy = process.cwd()

const vitest = await createVitest('test', {
  root: copy,
  config: join(copy, 'vitest.config.ts'),
  watch: false,
  // Each on both databases: there are races that only one of them has.
  env: { LONG: '1' },
  maxWorkers: 1,
  reporters: [{}],
  silent: true,
})
await vitest.standalone()

process.on('message', ({ mutant, ofFile }: Task) => {
  judge(mutant, ofFile)
    .catch((error: unknown): Verdict => ({ verdict: 'broken', detail: firstLine(error) }))
    .then((verdict) => process.send?.(verdict))
    .catch(() => process.exit(1))
})
process.send?.('ready')

async function judge(mutant: Mutant, ofFile: readonly string[]): Promise<Verdict> {
  const changed = new Map<string, string>()
  for (const change of changesOf(mutant)) {
    const result = applyChange(change, changed.get(change.file) ?? (await readFile(join(copy, change.file), 'utf8')))
    if ('problem' in result) return { verdict: 'broken', detail: result.problem }
    changed.set(change.file, result.text)
  }
  const problem = await problemWithoutChange(mutant, ofFile)
  if (problem !== undefined) return { verdict: 'broken', detail: problem }
  const sources = new Map<string, string>()
  try {
    for (const [file, text] of changed) {
      const path = join(copy, file)
      sources.set(path, await readFile(path, 'utf8'))
      await write(path, text)
    }
    return verdictOf(mutant, await runTest(mutant.test, titlesToRun(mutant, [mutant.title]), mutant.wholeFile ? 0 : 1))
  } finally {
    for (const [path, source] of sources) await write(path, source)
  }
}

/** Results of test files without a change. Each file runs once for all its titles. */
const baselines = new Map<string, Promise<Result>>()

async function problemWithoutChange(mutant: Mutant, ofFile: readonly string[]): Promise<string | undefined> {
  const { test, title, wholeFile = false } = mutant
  const key = `${test} ${wholeFile}`
  const run = baselines.get(key) ?? runTest(test, titlesToRun(mutant, ofFile), 0)
  baselines.set(key, run)
  const { passed, failed, crash } = await run
  const pattern = titlePattern(title)
  const failure = failed.find(({ name }) => pattern.test(name))
  if (failure) return `the test fails without the change: ${failure.message}`
  if (passed.some((name) => pattern.test(name))) return undefined
  return crash === undefined ? 'no test of that title ran' : `the test does not run without the change: ${crash}`
}

/** An empty title matches all tests. */
const titlesToRun = ({ wholeFile }: Mutant, titles: readonly string[]) => (wholeFile ? [''] : titles)

function verdictOf({ title }: Mutant, { failed, crash }: Result): Verdict {
  const pattern = titlePattern(title)
  const failure = failed.find(({ name }) => pattern.test(name))
  if (failure) return { verdict: 'killed', detail: failure.message }
  if (crash !== undefined) return { verdict: 'broken', detail: `no test failed, but the file did not run: ${crash}` }
  return { verdict: 'survived', detail: 'its test passes without the defense' }
}

interface Result {
  /** Full names. */
  readonly passed: readonly string[]
  /** The report has the first line of each error. */
  readonly failed: readonly { readonly name: string; readonly message: string }[]
  /** Why a file did not load or a hook failed. A test that did not run proves nothing. */
  readonly crash: string | undefined
}

/** @param bail Stops after this number of failures, 0 for never. One failure is enough to kill a mutant. */
async function runTest(test: string, titles: readonly string[], bail = 1): Promise<Result> {
  // These tests run dist/, some of them with its declarations.
  const built = /^(?:apps|house|cli|processes)\/|^service\/(?:.*\/)?(?:processes|rotation)\.(?:test|long)/.test(test)
  if (built && !(await build({ types: /^(?:apps|house)\//.test(test) })))
    return { passed: [], failed: [], crash: 'the build failed' }
  await buildAssets()
  vitest.setGlobalTestNamePattern(new RegExp(titles.map((title) => titlePattern(title).source).join('|')))
  vitest.config.bail = bail
  for (const project of vitest.projects) project.config.bail = bail
  const file = join(copy, 'test', test)
  const specifications = vitest.projects.map((project) => project.createSpecification(file))
  // Vitest remembers earlier runs: their results would be reported again and count for `bail`.
  vitest.state.clearErrors()
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const result = await vitest.runTestSpecifications(specifications)
  const testModules = result.testModules.filter(({ moduleId }) => moduleId === file)
  const tests = testModules.flatMap((module) => [...module.children.allTests()])
  const [error] = result.unhandledErrors
  return {
    passed: tests.filter((each) => each.result().state === 'passed').map(({ fullName }) => fullName),
    failed: tests.flatMap((each) => {
      const outcome = each.result()
      if (outcome.state !== 'failed') return []
      return [{ name: each.fullName, message: firstLine(outcome.errors[0]) }]
    }),
    crash: testModules.flatMap(crashesOf)[0] ?? (error === undefined ? undefined : firstLine(error)),
  }
}

function crashesOf(module: TestModule): readonly string[] {
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
  return [...module.errors(), ...suites].map((error) => firstLine(error))
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  // Vitest restores the results of modules that Vite has marked as invalid, and Vite fails when a module has both.
  for (const environment of vitest.projects.flatMap(({ vite }) => Object.values(vite.environments))) {
    for (const module of environment.moduleGraph.idToModuleMap.values()) {
      if (module.transformResult) Object.assign(module, { invalidationState: undefined })
    }
  }
  vitest.invalidateFile(path)
}

function firstLine(value: unknown): string {
  // Errors of another process lose their class.
  const text = typeof value === 'object' && value !== null && 'message' in value ? value.message : value
  return (typeof text === 'string' ? text : 'an error without a message').split('\n', 1)[0]?.slice(0, 160) ?? ''
}
