/**
 * `npm run test:mutants`: removes each recorded defense in a copy of the tree, and expects the named test to fail.
 * `-- --jobs 2` uses two copies in parallel; `-- sessions gate.ts` runs only the mutants whose list, file, test, title or
 * defense contains one of these texts, and `-- --shard 2/4` the second quarter of them. `-- --missing` only prints the guarantees without a mutant.
 */
import { fork } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import type { Mutant } from '../test/mutants/mutant.ts'
import { copyTree } from './mutants/copy.ts'
import { guaranteesWithoutMutant } from './mutants/guarantees.ts'
import { changesOf, readMutants } from './mutants/lists.ts'
import type { Task, Verdict } from './mutants/worker.ts'
import { root } from './run.ts'

/** Timeout of one test run, milliseconds. The one of every statement on both databases takes five minutes on a busy machine. */
const timeout = 600_000

const usage = `npm run test:mutants -- [--jobs <number>] [<part of a list, file, test, title or defense> ...]
  Removes each recorded defense in a copy of the tree, and expects the named test to fail.
  --jobs     number of copies that run in parallel (default: 1)
  --shard    which part to run, such as 2/4
  --missing  only print the guarantees without a mutant`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    shard: { type: 'string', default: '1/1' },
    missing: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit()
}
const recorded = await readMutants(root)
if (values.missing) {
  for (const line of await guaranteesWithoutMutant(root, recorded)) console.log(line)
  process.exit()
}

const selected = recorded.filter(
  ({ list, file, test, title, defense }) =>
    positionals.length === 0 ||
    positionals.some((part) => [list, file, test, title, defense].some((text) => text.includes(part))),
)
// Mutants of one test are adjacent, so that the test runs without a change only once.
const sorted = selected.toSorted((a, b) => `${a.test}${a.title}`.localeCompare(`${b.test}${b.title}`))
const [, shard = 0, shards = 0] = /^(\d+)\/(\d+)$/.exec(values.shard)?.map(Number) ?? []
if (shard < 1 || shard > shards) {
  console.error(`--shard: expected a part and a number of parts such as 2/4, got ${values.shard}`)
  process.exit(1)
}
const waiting = partOf(sorted, shard, shards)
const jobs = Math.max(1, Number(values.jobs))
const shares = Array.from({ length: jobs }, (_, index) => partOf(waiting, index + 1, jobs))

const start = performance.now()
const verdicts = (await Promise.all(shares.map(runShare))).flat()
const count = (kind: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === kind).length
console.log(
  `\n${verdicts.length} mutants: ${count('killed')} killed, ${count('survived')} survived, ${count('broken')} broken, ` +
    `${((performance.now() - start) / 1000).toFixed(0)} s`,
)
if (verdicts.length === 0 || count('killed') < verdicts.length) process.exitCode = 1

/** @param number Which of the parts, from 1. All are equally long, or differ by one. */
function partOf<T>(all: readonly T[], number: number, parts: number): readonly T[] {
  const startOf = (index: number) => Math.ceil((all.length * index) / parts)
  return all.slice(startOf(number - 1), startOf(number))
}

async function runShare(mutants: readonly Mutant[]): Promise<readonly Verdict[]> {
  const copy = await copyTree(root)
  const done: Verdict[] = []
  let worker: Worker | undefined
  try {
    for (const mutant of mutants) {
      worker ??= await startWorker(copy.folder)
      const begin = performance.now()
      const verdict = await worker.judge(mutant, titlesOf(mutants, mutant.test))
      if (verdict === undefined) {
        await worker.stop()
        worker = undefined
        await restore(copy.folder, mutant)
      }
      const result = verdict ?? { verdict: 'broken', detail: 'the test run crashed or hung' }
      done.push(result)
      const seconds = ((performance.now() - begin) / 1000).toFixed(1)
      console.log(
        `${result.verdict.padEnd(8)} ${seconds.padStart(5)} s  ${mutant.defense} (${mutant.file}) · ${result.detail}`,
      )
      if (result.verdict !== 'killed') console.log(`                  test/${mutant.test}: ${mutant.title}`)
    }
  } finally {
    await worker?.stop()
    await copy.remove()
  }
  return done
}

function titlesOf(mutants: readonly Mutant[], test: string): readonly string[] {
  return [...new Set(mutants.filter((mutant) => mutant.test === test).map(({ title }) => title))]
}

interface Worker {
  /** Resolves to undefined when the worker crashed or timed out. */
  judge(mutant: Mutant, ofFile: readonly string[]): Promise<Verdict | undefined>
  stop(): Promise<void>
}

async function startWorker(folder: string): Promise<Worker> {
  const child = fork(join(folder, 'scripts/mutants/worker.ts'), {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // Tests print warnings to stderr. They matter only when vitest does not start.
  let errorOutput = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = `${errorOutput}${text}`.slice(-4_000)
  })
  const ended = new Promise<undefined>((resolve) => {
    child.once('exit', () => resolve(undefined))
  })
  const next = () =>
    new Promise<unknown>((resolve) => {
      child.once('message', resolve)
    })
  if ((await Promise.race([next(), ended])) === undefined) throw new Error(`vitest did not start:\n${errorOutput}`)
  return {
    async judge(mutant, ofFile) {
      const reply = next()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), timeout)
      })
      child.send({ mutant, ofFile } satisfies Task)
      const verdict = await Promise.race([reply, ended, late])
      clearTimeout(timer)
      return verdict as Verdict | undefined
    },
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Undoes the change of a worker that crashed. */
async function restore(folder: string, mutant: Mutant): Promise<void> {
  for (const { file } of changesOf(mutant)) await copyFile(join(root, file), join(folder, file))
}
