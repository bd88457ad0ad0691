import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach } from 'vitest'

import { withoutLimits } from '../../../processes/command.ts'

/** The command as it is installed; `npm run build` makes it. Its sources take four times as long to start. */
const program = fileURLToPath(new URL('../../../../bin/second-factor.js', import.meta.url))

/** A SQLite file for each test, which other processes can serve as well. */
export function useSharedFile() {
  let folder: string
  let children: ChildProcess[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-processes-'))
    children = []
  })
  afterEach(() => {
    for (const other of children) other.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  const database = () => join(folder, 'mfa.sqlite')

  return {
    database,
    startOther: async (): Promise<{ child: ChildProcess; origin: string }> => {
      const child = spawn(process.execPath, [
        program,
        'serve',
        '--database',
        database(),
        '--port',
        '0',
        '--drain-seconds',
        '0',
        ...withoutLimits,
      ])
      children.push(child)
      return { child, origin: await originOf(child.stdout) }
    },
  }
}

/** Where it says that it listens, however many pieces that comes in. Reading goes on after that: a full pipe would stop it. */
function originOf(output: Readable): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    output.on('data', (piece: Buffer) => {
      text += piece.toString()
      const [, origin] = /(http:\/\/[\d.]+:\d+)\s/.exec(text) ?? []
      if (origin !== undefined) resolve(origin)
    })
    output.once('end', () => reject(new Error(`The other process ended after it said ${text}`)))
  })
}
