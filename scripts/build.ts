/** `npm run build`: builds dist/ from src/. Does nothing when nothing changed since the last build. */
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import { buildAssets } from './assets.ts'
import { bundle } from './bundle.ts'
import { generateTexts } from './catalogs.ts'
import { writeDeclarations } from './declarations.ts'
import { entries } from './entries.ts'
import { filesBelow, fingerprint } from './fingerprint.ts'
import { tsc } from './tsc.ts'
import { root } from './run.ts'

const dist = join(root, 'dist')

/** Written by a successful build: the fingerprint of its inputs. */
const stamp = join(dist, '.built')

const inputs = [
  'catalogs',
  'src',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
]

/**
 * Prints errors, and resolves to whether dist/ is now up to date.
 * @param types Whether to write declarations. Running the code does not need them.
 * @param checked Whether the types have been checked already.
 */
export async function build({ types = true, checked = false } = {}): Promise<boolean> {
  await generateTexts()
  const complete = await fingerprint(root, inputs)
  const newStamp = types ? complete : `${complete} without types`
  const currentStamp = await readFile(stamp, 'utf8').catch(() => '')
  if (currentStamp === newStamp || currentStamp === complete) return true
  await mkdir(dist, { recursive: true })
  // The previous build stays until the new one succeeds: an app may be running on it.
  const scratch = await mkdtemp(join(dist, scratchPrefix))
  try {
    const [typesAreRight] = await Promise.all([!types || buildTypes(scratch, checked), buildCode(scratch)])
    if (!typesAreRight) return false
    await clean()
    await cp(scratch, dist, { recursive: true })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  await writeFile(stamp, newStamp)
  return true
}

/** @returns whether the types are right. */
async function buildTypes(output: string, checked: boolean): Promise<boolean> {
  const ofModules = await mkdtemp(join(dist, scratchPrefix))
  try {
    const options = ['-p', 'tsconfig.build.json', '--outDir', ofModules, ...(checked ? ['--noCheck'] : [])]
    if (!(await tsc(options))) return false
    // The command is run, not imported.
    const imported = (await entries()).filter((name) => !name.startsWith('cli/'))
    await writeDeclarations(ofModules, output, imported)
    return true
  } finally {
    await rm(ofModules, { recursive: true, force: true })
  }
}

async function buildCode(output: string): Promise<void> {
  await bundle(output, await entries())
  await copyViews(output)
  await buildAssets()
}

/** Prefix of the folders of unfinished builds. */
const scratchPrefix = '.new-'

/** Folders that `buildAssets` updates and replaces as a whole, because tests and a running app may be reading them. */
const assets = new Set(['authenticator', 'browser', 'console'])

async function clean(): Promise<void> {
  const stale = (await readdir(dist)).filter((name) => !assets.has(name) && !name.startsWith(scratchPrefix))
  await Promise.all(stale.map((name) => rm(join(dist, name), { recursive: true })))
}

const viewFolders = ['src/express/pages', 'src/service/engine/openapi/views', 'src/service/features/mail-reports/views']

/** Page templates and their styles are read at run time from the folder of the code that uses them. */
async function copyViews(output: string): Promise<void> {
  const pages = await Promise.all(viewFolders.map((folder) => filesBelow(join(root, folder))))
  for (const file of pages.flat().filter((name) => !name.endsWith('.ts'))) {
    const target = join(output, relative(join(root, 'src'), file))
    await mkdir(dirname(target), { recursive: true })
    await copyFile(file, target)
  }
}

if (import.meta.main && !(await build())) {
  console.error('\nThe build failed: fix the errors above, then run `npm run build` again.')
  process.exitCode = 1
}
