import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { inject } from 'vitest'

import { root } from '../../scripts/run.ts'

const run = promisify(execFile)

/** The package as `npm publish` would upload it. */
export interface PackedPackage {
  /** Path of the tarball. */
  readonly tarball: string
  /** Paths of all files in it, from the root of the package. */
  readonly files: readonly string[]
  /** Of the tarball, bytes. */
  readonly size: number
}

/** The tarball that all test files share. Where nothing is shared, packs a new one into the folder. */
export async function packedPackage(folder: string): Promise<PackedPackage> {
  const shared = inject('packedPackage')
  if (shared === undefined) return pack(folder)
  const response = await fetch(shared)
  if (!response.ok) throw new Error(`npm pack failed: ${await response.text()}`)
  return (await response.json()) as PackedPackage
}

/** Extracts the tarball. @returns the folder of the package, in `folder`. */
export async function unpackPackage(folder: string): Promise<string> {
  const { tarball } = await packedPackage(folder)
  await run('tar', ['-xzf', tarball, '-C', folder])
  return join(folder, 'package')
}

export async function pack(folder: string): Promise<PackedPackage> {
  const { stdout } = await run('npm', ['pack', root, '--ignore-scripts', '--json'], { cwd: folder })
  const [{ filename, files, size }] = JSON.parse(stdout) as [
    { filename: string; files: { path: string }[]; size: number },
  ]
  return { tarball: join(folder, filename), files: files.map(({ path }) => path), size }
}
