import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the tree, so that mutants never change the checkout. */
export interface Copy {
  readonly folder: string
  remove(): Promise<void>
}

/** Copies tracked and untracked files that Git does not ignore, and dist/. Links node_modules. */
export async function copyTree(root: string): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-mutants-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await cp(join(root, path), join(folder, path), { preserveTimestamps: true })
  }
  const dist = join(root, 'dist')
  if (existsSync(dist)) await cp(dist, join(folder, 'dist'), { recursive: true, preserveTimestamps: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
