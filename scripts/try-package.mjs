/**
 * `node scripts/try-package.mjs second-factor-0.1.0.tgz`: installs the tarball in an empty folder, as an app would, and signs in to an example with the
 * Node that runs this. Plain JavaScript, and nothing from `node_modules`: it runs on every Node that the package supports.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { tryApp } from './try-app.mjs'

const [tarball] = process.argv.slice(2)
if (tarball === undefined) throw new Error('expected the path of a tarball')
const folder = mkdtempSync(join(tmpdir(), 'second-factor-try-'))
const npm = (/** @type {readonly string[]} */ args) =>
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })

try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  npm(['install', resolve(tarball), 'express@5', 'express-session', 'better-sqlite3@13'])
  const names = ['', '/browser', '/client', '/passport', '/service', '/testing'].map((name) => `second-factor${name}`)
  const imports = names.map((name) => `await import('${name}')`).join('\n')
  execFileSync(process.execPath, ['--input-type=module', '--eval', imports], { cwd: folder, stdio: 'inherit' })
  execFileSync(process.execPath, ['node_modules/second-factor/bin/second-factor.js', '--version'], {
    cwd: folder,
    stdio: 'inherit',
  })
  cpSync(join(import.meta.dirname, '../examples'), join(folder, 'examples'), { recursive: true })
  await tryApp('examples/minimal.js', { cwd: folder, port: 3123 })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
