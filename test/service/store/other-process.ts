import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach } from 'vitest'

const program = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

/** A SQLite file for each test, which other processes can serve as well. */
export function useSharedFile() {
  let folder: string
  let others: ChildProcess[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-processes-'))
    others = []
  })
  afterEach(() => {
    for (const other of others) other.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  const database = () => join(folder, 'mfa.sqlite')

  return {
    database,
    startOther: async (): Promise<{ child: ChildProcess; origin: string }> => {
      const child = spawn(process.execPath, [program, 'serve', '--database', database(), '--port', '0'])
      others.push(child)
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      return { child, origin: /http:\/\/[\d.:]+/.exec(line.toString())![0] }
    },
  }
}
