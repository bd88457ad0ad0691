import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'

import { minify, parse, Visitor } from 'rolldown/utils'
import { build } from 'vite'
import type { Plugin } from 'vite'

import { readSourceFile, type SourceFile } from './boundaries/source-file.ts'
import { filesBelow } from './fingerprint.ts'
import { root } from './run.ts'

const source = join(root, 'src')

/**
 * Bundles the code for Node into one file per part. An app that loads `second-factor` then reads a handful of files instead
 * of two hundred, which would be most of its startup time.
 *
 * @param names of the entries below src/ and below `output`, such as `client/index`.
 */
export async function bundle(output: string, names: readonly string[]): Promise<void> {
  const files = await readModules()
  const loadingHeavy = modulesLoadingHeavy(files)
  const started = {
    byApp: modulesNeededBy('src/index.ts', files),
    byServe: modulesNeededBy('src/cli/commands/serve.ts', files),
  }
  // Vite sets it for the whole process.
  const { NODE_ENV: previousEnvironment } = process.env
  try {
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      plugins: [whereModulesWere(), globalProcess(), listModules()],
      ssr: { noExternal: bundled, external: true },
      build: {
        ssr: true,
        outDir: output,
        emptyOutDir: false,
        target: 'node22',
        minify: false,
        rolldownOptions: {
          input: Object.fromEntries(names.map((name) => [name, join(source, `${name}.ts`)])),
          output: {
            entryFileNames: '[name].js',
            chunkFileNames: 'parts/[name].js',
            // Names as in the sources, for readable stack traces.
            minifyInternalExports: false,
            // The declarations have those of the sources.
            comments: { legal: true, annotation: true, jsdoc: false },
            codeSplitting: {
              includeDependenciesRecursively: false,
              groups: [{ name: (id) => partOf(id, loadingHeavy, started) }],
            },
          },
        },
      },
    })
    const parts = await readdir(join(output, 'parts'))
    for (const part of parts) await minifyPart(join(output, 'parts', part))
    for (const name of bundled)
      await cp(join(root, `node_modules/${name}/LICENSE`), join(output, `parts/${name}.LICENSE`))
  } finally {
    if (previousEnvironment === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = previousEnvironment
  }
}

/** Code of others takes two thirds of its size. It keeps the names that stack traces and error messages show. */
const ofOthers = {
  compress: { target: 'es2022', keepNames: { function: true, class: true } },
  mangle: { toplevel: true, keepNames: { function: true, class: true } },
}

/** Our own code loses its blanks, which are a tenth of the tarball, and keeps every name. */
const ofOurs = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

async function minifyPart(file: string): Promise<void> {
  const options = { module: true, ...(bundled.includes(basename(file, '.js')) ? ofOthers : ofOurs) }
  const { code, errors } = await minify(file, await readFile(file, 'utf8'), options)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`)
  await writeFile(file, inAscii(await inLines(file, code)))
}

/**
 * Each statement begins a line. Node prints the line that throws before the message of an error that nothing catches, such as that of a
 * wrong option, and a whole part in one line would hide the message.
 */
async function inLines(file: string, code: string): Promise<string> {
  const { program } = await parse(file, code)
  const starts = program.body.map(({ start }) => start)
  new Visitor({ BlockStatement: ({ body }) => void starts.push(...body.map(({ start }) => start)) }).visit(program)
  const lines = [0, ...starts].sort((a, b) => a - b)
  return lines
    .map((start, index) => code.slice(start, lines[index + 1]))
    .join('\n')
    .trimStart()
}

/**
 * One character beyond Latin-1 makes V8 keep a whole file in two bytes a character. Texts in Arabic or Japanese take more with escapes
 * than that.
 */
function inAscii(code: string): string {
  const escaped = code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return escaped.length > 2 * code.length ? code : escaped
}

/** Packages of many small files. Other packages have few, or are not read when something starts, so they stay outside. */
const bundled = ['zod', 'kysely', 'commander']

/** These packages load slowly, and most commands do not need them. */
const heavy = /^(express|jose)$/

/** The modules below src/. Their paths are relative to the root, with slashes. */
async function readModules(): Promise<readonly SourceFile[]> {
  const paths = (await filesBelow(source)).map((file) => relative(root, file).replaceAll(sep, '/'))
  return Promise.all(paths.filter((path) => /\.tsx?$/.test(path)).map((path) => readSourceFile(root, path)))
}

/** Modules that directly or indirectly load one of the heavy packages. */
function modulesLoadingHeavy(files: readonly SourceFile[]): ReadonlySet<string> {
  const reachedFiles = new Set<string>()
  for (let previousSize = -1; previousSize < reachedFiles.size;) {
    previousSize = reachedFiles.size
    for (const { path, imports } of files) {
      const loaded = imports.filter(({ typeOnly, lazy }) => !typeOnly && !lazy)
      if (loaded.some(({ specifier, target }) => heavy.test(specifier) || reachedFiles.has(target ?? '')))
        reachedFiles.add(path)
    }
  }
  return reachedFiles
}

/** Modules that are read when this one is loaded. */
function modulesNeededBy(entry: string, files: readonly SourceFile[]): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const reachedFiles = new Set([entry])
  for (const path of reachedFiles) {
    const loaded = byPath.get(path)?.imports.filter(({ typeOnly, lazy }) => !typeOnly && !lazy) ?? []
    for (const { target } of loaded) if (target !== undefined) reachedFiles.add(target)
  }
  return reachedFiles
}

/** Folders whose files go with the contract: what both halves share, and the contract of the console. */
const besideTheContract = ['ground', 'admin-contract']

/** The modules that are loaded when an app or `serve` starts. */
interface Started {
  readonly byApp: ReadonlySet<string>
  readonly byServe: ReadonlySet<string>
}

/** The folder below src/ that a module is in; an `index.ts` stays an entry. */
function partOf(id: string, loadingHeavy: ReadonlySet<string>, started: Started): string | null {
  const [, name] = /\/node_modules\/([^/]+)\//.exec(id) ?? []
  if (name !== undefined && bundled.includes(name)) return name
  const [folder = '', ...rest] = relative(source, id).split(sep)
  // Browser code is one file, which an app can serve unchanged. Each run of the command only reads what it needs.
  if (folder === '..' || folder === 'browser' || folder === 'cli' || id.endsWith(`${sep}index.ts`)) return null
  const path = relative(root, id).replaceAll(sep, '/')
  // Texts are loaded when their language is first used.
  if (/^src\/(express|service\/engine\/mail)\/texts\//.test(path) && !started.byApp.has(path)) return null
  // Most apps accept no access tokens, and have no action to approve.
  if (path.startsWith('src/express/bearer/')) return 'bearer'
  if (folder === 'express' && !started.byApp.has(path)) return 'approvals'
  const isLight = !loadingHeavy.has(path)
  if (isLight && folder === 'device') return 'device-core'
  // The console and other code that is loaded for the first request that needs it.
  if (isLight && folder === 'service') return started.byServe.has(path) ? 'service-core' : null
  // Files that every part may import go with the contract, which every part imports.
  const part = rest.length > 0 && !besideTheContract.includes(folder) ? folder : 'contract'
  if (part !== 'contract' || started.byApp.has(path)) return part
  // What only the service, devices and the console need is not read by an app.
  return started.byServe.has(path) ? 'contract-service' : null
}

/** Templates are read relative to the module that names them, not to its bundle. */
function whereModulesWere(): Plugin {
  return {
    name: 'second-factor:where-modules-were',
    enforce: 'pre',
    async load(id) {
      if (!id.startsWith(source + sep) || !id.endsWith('.ts')) return undefined
      const place = relative(source, id).replaceAll(sep, '/').replace(/\.ts$/, '.js')
      const code = await readFile(id, 'utf8')
      return code.replaceAll('import.meta.url', `new URL('../${place}', import.meta.url).href`)
    },
  }
}

/** Writes which module each file has: the code itself no longer tells. */
function listModules(): Plugin {
  return {
    name: 'second-factor:list-modules',
    generateBundle(_options, files) {
      const chunks = Object.values(files).filter((file) => file.type === 'chunk')
      const modules = chunks.map(({ fileName, moduleIds }) => [
        fileName,
        moduleIds.map((id) => relative(root, id).replaceAll(sep, '/')),
      ])
      this.emitFile({ type: 'asset', fileName: '.modules.json', source: JSON.stringify(Object.fromEntries(modules)) })
    },
  }
}

/**
 * Commander imports `node:process`. Node then reads all members of it once, which takes 3 ms and 0.3 MB: one of them lists all
 * flags of Node.
 */
function globalProcess(): Plugin {
  const id = '\0second-factor:process'
  return {
    name: 'second-factor:global-process',
    enforce: 'pre',
    resolveId: (specifier) => (specifier === 'node:process' ? id : undefined),
    load: (loaded) => (loaded === id ? 'export default globalThis.process' : undefined),
  }
}
