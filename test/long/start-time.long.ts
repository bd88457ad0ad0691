import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { measureStarts, secondFactor } from '../../bench/start-time.ts'
import { median } from '../../bench/spread.ts'
import { build } from '../../scripts/build.ts'
import { root } from '../../scripts/run.ts'

describe('a command', () => {
  beforeAll(async () => void (await build()))

  it('a command starts, does its work and ends in less than 300 ms', () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-start-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const place = ['--database', join(folder, 'mfa.sqlite')]
    const run = (...args: string[]) => {
      const before = performance.now()
      execFileSync(process.execPath, [join(root, 'bin/second-factor.js'), ...args, ...place], { stdio: 'pipe' })
      return performance.now() - before
    }
    run('init')

    const times = Array.from({ length: 15 }, () => run('domain', 'list'))

    expect(median(times)).toBeLessThan(300)
  })
})

describe('the start of an app', () => {
  beforeAll(async () => void (await build()))

  it('the start of an app takes less than 60 ms longer with mfa()', () => {
    const times = measureStarts(secondFactor).get('second-factor') ?? []

    expect(median(times)).toBeLessThan(60)
  })
})
