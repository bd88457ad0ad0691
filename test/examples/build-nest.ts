import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import ts from 'typescript59'
import { afterAll } from 'vitest'

import { root } from '../../scripts/run.ts'

/** The packages that a Nest app with a second factor installs. */
const packages = ['@nestjs', 'better-sqlite3', 'express', 'express-session', 'reflect-metadata', 'rxjs']

const modules = { module: ts.ModuleKind.ESNext, commonjs: ts.ModuleKind.CommonJS }

/**
 * Builds the example as `nest build` does, in a folder that has only the packages of such an app.
 *
 * @returns the path of its first file.
 */
export async function buildNest(type: keyof typeof modules): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nest-'))
  afterAll(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/second-factor'))
  for (const name of packages) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type }))
  const source = join(root, 'examples/nest')
  for (const name of (await readdir(source)).filter((file) => file.endsWith('.ts'))) {
    const code = transpile(await readFile(join(source, name), 'utf8'), type)
    await writeFile(join(folder, name.replace(/\.ts$/, '.js')), code)
  }
  return join(folder, 'main.js')
}

const transpile = (code: string, type: keyof typeof modules) =>
  ts.transpileModule(code, {
    compilerOptions: {
      module: modules[type],
      target: ts.ScriptTarget.ES2023,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  }).outputText
