import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the tree as it is now, so that a change never touches the checkout. */
export interface Copy {
  readonly folder: string
  remove(): Promise<void>
}

/** Copies what Git knows or would add, and dist/ if there is one. node_modules is a link. */
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
