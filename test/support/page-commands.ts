import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect } from 'vitest'

import { root } from '../../scripts/run.ts'

/** The blocks of a language in a section of a page, such as the commands (`sh`) below a heading of docs/leaving.md. */
export function blocksOf(page: string, heading: string, language = 'sh'): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const blocks = section.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))
  return Array.from(blocks, ([, block = '']) => block.replaceAll(/^ +/gm, ''))
}

/** Runs commands with the built package in place of an installed one. */
export function shell(folder: string, commands: string, env: NodeJS.ProcessEnv = {}) {
  const program = `"${process.execPath}" "${join(root, 'bin/second-factor.js')}"`
  const script = commands.replaceAll('npx second-factor', program).replace(/"[^"]*" (?="[^"]*" serve)/, 'exec $&')
  const child = spawn('sh', ['-e', '-c', script], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  return {
    ended,
    async printed(pattern: RegExp) {
      await expect.poll(() => stdout + stderr).toMatch(pattern)
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}
