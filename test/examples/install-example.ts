import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll } from 'vitest'

import { root } from '../../scripts/run.ts'
import { packedPackage } from '../support/packed-package.ts'

/** Copies an example that has packages of its own, and installs them and this package. @returns its folder. */
export async function installExample(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`))
  afterAll(() => rm(folder, { recursive: true }))
  await cp(join(root, 'examples', name), folder, { recursive: true })
  const { tarball } = await packedPackage(folder)
  await npm(folder, 'install', '--no-audit', '--no-fund', tarball)
  return folder
}

/** Runs npm in a folder, and its scripts with the Node of the tests. */
export async function npm(folder: string, ...args: readonly string[]): Promise<void> {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  await promisify(execFile)('npm', args, { cwd: folder, env: { ...process.env, PATH: path }, maxBuffer: 2 ** 24 })
}
