/** `npm run build`: src/ becomes dist/. Quiet, and done at once when nothing changed since the last time. */
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import { buildAssets } from './assets.ts'
import { bundle } from './bundle.ts'
import { entries } from './entries.ts'
import { filesBelow, fingerprint } from './fingerprint.ts'
import { root, run } from './run.ts'

const dist = join(root, 'dist')

/** Left behind by a build that went well; says what it was made of. */
const stamp = join(dist, '.built')

const inputs = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']

/**
 * Whether dist/ now holds what src/ says. What went wrong has been printed.
 * @param types Whether to check types and write declarations, which what runs does not need.
 */
export async function build({ types = true }: { types?: boolean } = {}): Promise<boolean> {
  const complete = await fingerprint(root, inputs)
  const wanted = types ? complete : `${complete} without types`
  const present = await readFile(stamp, 'utf8').catch(() => '')
  if (present === wanted || present === complete) return true
  await mkdir(dist, { recursive: true })
  // What is there stays until something better is: an app may be running on it, and a type may be wrong.
  const scratch = await mkdtemp(join(dist, underway))
  try {
    if (types && !(await run('typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', scratch]))) return false
    await bundle(scratch, await entries())
    await copyViews(scratch)
    await buildAssets()
    await clean()
    await cp(scratch, dist, { recursive: true })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  await writeFile(stamp, wanted)
  return true
}

/** How folders begin that a build is filling. */
const underway = '.new-'

/** What `buildAssets` keeps up to date by itself, and swaps whole: tests and a running app may be reading it. */
const assets = new Set(['authenticator', 'browser'])

async function clean(): Promise<void> {
  const stale = (await readdir(dist)).filter((name) => !assets.has(name) && !name.startsWith(underway))
  await Promise.all(stale.map((name) => rm(join(dist, name), { recursive: true })))
}

const viewFolders = ['src/express/pages', 'src/service/openapi/views']

/** Page templates and their styles are read at run time, from beside the code that names them. */
async function copyViews(output: string): Promise<void> {
  const pages = await Promise.all(viewFolders.map((folder) => filesBelow(join(root, folder))))
  for (const file of pages.flat().filter((name) => !name.endsWith('.ts'))) {
    const target = join(output, relative(join(root, 'src'), file))
    await mkdir(dirname(target), { recursive: true })
    await copyFile(file, target)
  }
}

if (import.meta.main && !(await build())) {
  console.error('\nThe build failed: see above what is wrong, mend it, and run `npm run build` again.')
  process.exitCode = 1
}
