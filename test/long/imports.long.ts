import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { stockFileLimit } from '../../src/admin-contract/stock-limits.ts'
import { importHardwareTokens } from '../../src/service/features/hardware/import.ts'
import { readTokens } from '../../src/service/features/hardware/files/read-tokens.ts'
import { startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { container, keyPackage } from '../service/features/hardware/files/pskc-file.ts'

const filled = (part: string) => part.repeat(Math.floor(stockFileLimit / part.length))

/** As many different rows as fit into the largest file. */
function rows(row: (index: number) => string): string {
  const parts: string[] = []
  for (let [size, index] = [0, 0]; size < stockFileLimit - 1_000; index += 1) {
    const part = row(index)
    size += part.length
    parts.push(part)
  }
  return parts.join('')
}

const seed = randomBytes(20).toString('hex')

const files: readonly [string, () => string][] = [
  ['rows of one letter', () => filled('a\n')],
  ['line breaks', () => filled('\n')],
  ['commas', () => filled(',,,,,,,\n')],
  [
    'rows that break every rule',
    () => `serial,seed,type,step,alias\n${filled('é,x,y,z,é\n').slice(0, stockFileLimit / 2)}`,
  ],
  ['hardware tokens', () => `serial,seed\n${rows((index) => `HT-${index},${seed}\n`)}`],
  ['key packages', () => container(rows((index) => keyPackage({ serial: `<SerialNo>PK-${index}</SerialNo>` })))],
  ['tags', () => container(filled('<a/>').slice(0, -2_000))],
]

/** Of this thread, which others may interrupt; milliseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

describe('an import of the largest file', () => {
  let folder: string
  let running: Console

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-imports-'))
    running = await startConsole(join(folder, 'mfa.sqlite'))
  })
  afterAll(async () => {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(files)(
    'importing the largest file with %s takes event loop turns of 20 ms at p99, and none over 50 ms',
    async (name, text) => {
      const bytes = Buffer.from(text())
      const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
        bytes.subarray(index * 65_536, (index + 1) * 65_536),
      )
      global.gc?.()
      const before = process.memoryUsage().rss
      const turns: number[] = []
      let [measures, last, peak] = [true, processorTime(), 0]
      const measure = () => {
        const now = processorTime()
        turns.push(now - last)
        last = now
        peak = Math.max(peak, process.memoryUsage.rss())
        if (measures) setImmediate(measure)
      }
      setImmediate(measure)

      const rowsRead = readTokens(chunks)
      const report = await importHardwareTokens(running.ctx, running.organization.id, rowsRead, {
        skipRejected: true,
      }).catch((error: unknown) => error as Error)
      measures = false

      const sorted = turns.toSorted((a, b) => a - b)
      const [p99, max] = [sorted[Math.floor(sorted.length * 0.99)]!, sorted.at(-1)!]
      const size = JSON.stringify(report).length
      process.stdout.write(
        `${name}: ${turns.length} turns, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms, ${Math.round((peak - before) / 2 ** 20)} MB, answer of ${size} bytes\n`,
      )
      expect(p99).toBeLessThan(20)
      expect(max).toBeLessThan(50)
      expect(size).toBeLessThan(32_768)
    },
  )
})
