/** `node scripts/try-start.mjs`: starts the example app of this checkout, and waits for its first page. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

import { firstAnswer } from './first-answer.mjs'

const root = join(import.meta.dirname, '..')
const app = spawn(process.execPath, ['example-app/main.ts'], {
  cwd: root,
  env: { ...process.env, PORT: '3124' },
  stdio: 'inherit',
})
try {
  const { status, url } = await firstAnswer('http://localhost:3124/')
  console.log(`${status} ${url}`)
  if (status !== 200) process.exitCode = 1
} finally {
  app.kill()
}
