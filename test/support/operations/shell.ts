import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A terminal in which one block after the other is typed: variables and the folder stay. */
export interface Shell {
  /** @returns what was printed. Rejects when a command fails. */
  readonly run: (code: string) => Promise<string>
  readonly close: () => void
}

/** @param folder Where it begins, and where the blocks are put down. */
export function openShell(folder: string, env: NodeJS.ProcessEnv): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let changed = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      changed()
    })
  }
  let ended = false
  child.on('close', () => {
    ended = true
    changed()
  })
  // The first command that fails ends the shell, as it would end the person's patience.
  child.stdin.write('set -e -o pipefail\n')
  let count = 0

  function run(code: string): Promise<string> {
    count += 1
    const file = join(folder, `.block-${count}`)
    const mark = `done-${randomBytes(8).toString('hex')}`
    writeFileSync(file, `${code}\n`)
    output = ''
    child.stdin.write(`. ${file} < /dev/null\necho ${mark}\n`)
    return new Promise((resolve, reject) => {
      changed = () => {
        if (output.includes(mark)) resolve(output.replace(`${mark}\n`, ''))
        else if (ended) reject(new Error(`failed:\n${code}\n\nprinted:\n${output}`))
      }
      changed()
    })
  }

  return { run, close: () => void child.kill('SIGKILL') }
}
