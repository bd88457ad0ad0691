import { createHash } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

import { build, type InlineConfig, mergeConfig, type Plugin, type Rolldown } from 'vite'

import { languageNames, textDirection } from '../src/contract/languages.ts'
import { generateTexts, plainText, readCatalog } from './catalogs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds what runs in a browser, with its texts: the script of the challenge page, the authenticator and the console. */
export async function buildAssets(): Promise<void> {
  await generateTexts()
  // Vite reads NODE_ENV, and under a test runner would build for development. Later steps need the previous value.
  const { NODE_ENV: previousEnvironment } = process.env
  process.env['NODE_ENV'] = 'production'
  try {
    await buildPageScript('challenge.js', 'challenge-page.ts')
    await buildPageScript('passkey.js', 'passkey-page.ts')
    await buildPageScript('browser-key.js', 'browser-key-page.ts')
    await buildAuthenticator()
    await buildConsole()
  } finally {
    if (previousEnvironment === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = previousEnvironment
  }
}

/** A script of the pages, as one file. */
async function buildPageScript(name: string, source: string): Promise<void> {
  const output = join(root, 'dist', 'browser')
  if (isNewer(join(output, name), ['src/browser/**', 'scripts/assets.ts'])) return

  await mkdir(output, { recursive: true })
  const scratch = await mkdtemp(`${output}-`)
  try {
    await build({
      root: join(root, 'src', 'browser'),
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: scratch,
        emptyOutDir: true,
        target: 'es2022',
        lib: {
          entry: join(root, 'src', 'browser', source),
          formats: ['es'],
          fileName: () => name,
        },
        // Vite keeps the blanks of libraries, and each sign-in would load them.
        rolldownOptions: { output: { minify: true } },
      },
    })
    // The same folder contains the entry for single-page apps, which is built with the rest of the package.
    await rename(join(scratch, name), join(output, name))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The installable web app, as static files with relative addresses and nothing inline. */
async function buildAuthenticator(): Promise<void> {
  const version = await packageVersion()
  await buildApp('authenticator', ['device'], (folder) => ({
    define: { 'import.meta.env.VERSION': JSON.stringify(version) },
    plugins: [effectOf('no-eval.ts'), withoutJsonSchema(), manifests(), serviceWorker()],
    build: {
      outDir: folder,
      // The service worker has stored them all. Naming what each screen needs would take a kilobyte of the script.
      modulePreload: false,
      // Operations that a device does not call are left out: a tenth of the script. Declaring one has no effect of its own.
      rolldownOptions: {
        output: { codeSplitting: { groups: [start] } },
        treeshake: { manualPureFunctions: ['endpoint'] },
      },
    },
  }))
}

/** The console. Its page is served for every address of it, so the server writes the mount in place of `./`. */
async function buildConsole(): Promise<void> {
  await buildApp('console', [], (folder) => ({
    plugins: [withoutSchemas()],
    build: {
      outDir: folder,
      rolldownOptions: { output: { codeSplitting: { groups: [start, place] }, chunkFileNames: namedByPart } },
    },
  }))
}

/**
 * The service checks what it is sent: of the contract, the console has types, names and rules, and no schema but lists of names. Zod
 * would be half of the script. A file that creates another schema fails as soon as it is loaded.
 */
function withoutSchemas(): Plugin {
  const id = '\0zod'
  return {
    name: 'second-factor:without-schemas',
    enforce: 'pre',
    resolveId: (source) => (source === 'zod' ? id : undefined),
    load: (loaded) => (loaded === id ? 'export const z = { enum: (options) => ({ options }) }' : undefined),
  }
}

/** The texts of a part have its name before that of the language, because those of the console are named by their language alone. */
function namedByPart({ facadeModuleId }: Rolldown.PreRenderedChunk): string {
  const [, part] = /\/screens\/(\w+)\/texts\//.exec(facadeModuleId ?? '') ?? []
  return part === undefined ? 'assets/[name]-[hash].js' : `assets/${part}-[name]-[hash].js`
}

/** What an app starts with is one file: it compresses better than several, whatever is loaded later shares with it. */
const start: Rolldown.CodeSplittingGroup = { name: 'start', tags: ['$initial'], priority: 1 }

/** So are the screens of one place of the console, because people go from one of them to the next. */
const place: Rolldown.CodeSplittingGroup = {
  name: (module) => /\/screens\/(\w+)\/[^/]+$/.exec(module)?.[1] ?? null,
}

/** @param more The folders of src/ that it is built from, besides its own and those of every app. */
async function buildApp(
  name: string,
  more: readonly string[],
  configOf: (folder: string) => InlineConfig,
): Promise<void> {
  const output = join(root, 'dist', name)
  const sources = `src/{${[name, 'ui', 'contract', ...more].join()}}/**`
  if (isNewer(join(output, 'index.html'), [sources, 'src/ground/**', 'scripts/assets.ts'])) return

  const common: InlineConfig = {
    root: join(root, 'src', name),
    configFile: false,
    base: './',
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      emptyOutDir: true,
      target: 'es2022',
      // data: URLs and inline scripts would need exceptions in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  }
  await intoPlace(output, async (folder) => {
    await build(mergeConfig(common, configOf(folder)))
    await compressScripts(folder)
  })
}

/** In Brotli alone, which nearly every browser accepts over https: the service converts them for others. */
async function compressScripts(folder: string): Promise<void> {
  for (const name of globSync('{*,assets/*}.{js,css}', { cwd: folder })) {
    const file = join(folder, name)
    await writeFile(`${file}.br`, brotliCompressSync(await readFile(file)))
    await rm(file)
  }
}

/** The package declares that it has no side effects. This file is the exception. */
function effectOf(file: string): Plugin {
  return {
    name: 'second-factor:effect',
    transform: (code, id) => (id.endsWith(`/${file}`) ? { code, map: null, moduleSideEffects: true } : undefined),
  }
}

/** Removes the conversion of zod schemas to JSON schema: a sixth of the whole script, and not used in a browser. */
function withoutJsonSchema(): Plugin {
  const stubs: Readonly<Record<string, string>> = {
    'json-schema-processors.js': 'export const toJSONSchema = undefined, allProcessors = {}',
    'json-schema-generator.js': 'export const JSONSchemaGenerator = undefined',
    'to-json-schema.js': [
      'const none = () => () => ({})',
      'export const createToJSONSchemaMethod = none, createStandardJSONSchemaMethod = none',
    ].join('\n'),
  }
  return {
    name: 'second-factor:without-json-schema',
    enforce: 'pre',
    load(id) {
      const [, file = ''] = /\/zod\/v4\/core\/([\w-]+\.js)$/.exec(id) ?? []
      return stubs[file]
    },
  }
}

async function packageVersion(): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** One manifest per language, with the name that a phone shows beside the icon. */
function manifests(): Plugin {
  return {
    name: 'second-factor:manifests',
    async generateBundle() {
      const english = await readFile(join(root, 'src/authenticator/public/manifest.webmanifest'), 'utf8')
      for (const lang of Object.keys(languageNames).filter((tag) => tag !== 'en')) {
        const catalog = await readCatalog('authenticator', lang)
        const text = (id: string) => plainText(catalog, id)
        const [name, dir] = [text('appName'), textDirection(lang)]
        const manifest = JSON.parse(english) as { shortcuts: object[] }
        const [codes, add] = manifest.shortcuts
        Object.assign(manifest, { name, short_name: name, description: text('description'), lang, dir })
        manifest.shortcuts = [
          { ...codes, name: text('showCodes') },
          { ...add, name: text('addAnother') },
        ]
        this.emitFile({ type: 'asset', fileName: `manifest.${lang}.webmanifest`, source: JSON.stringify(manifest) })
      }
    },
  }
}

/** Writes sw.js with the list of files that it caches. */
function serviceWorker(): Plugin {
  return {
    name: 'second-factor:service-worker',
    async generateBundle(_, bundle) {
      const files = Object.values(bundle).filter(isCachedAtInstall)
      const shell = ['./', 'manifest.webmanifest', 'icon.svg', ...files.map(({ fileName }) => fileName)]
      const source = await readFile(join(root, 'src/authenticator/sw.js'), 'utf8')
      const version = createHash('sha256').update(shell.join()).update(source).digest('hex').slice(0, 12)
      this.emitFile({
        type: 'asset',
        fileName: 'sw.js',
        source: source.replace('__SHELL__', JSON.stringify(shell)).replace('__VERSION__', JSON.stringify(version)),
      })
    },
  }
}

/** The QR decoder is not cached: scanning a code needs a connection anyway. */
function isCachedAtInstall(file: Rolldown.OutputChunk | Rolldown.OutputAsset): boolean {
  if (file.type === 'asset') return file.fileName !== 'index.html'
  return !file.moduleIds.some((id) => id.includes('/node_modules/qr/'))
}

/** Replaces a whole folder at once, so that a running server never serves half of it. */
async function intoPlace(output: string, write: (folder: string) => Promise<unknown>): Promise<void> {
  await mkdir(join(output, '..'), { recursive: true })
  const scratch = await mkdtemp(`${output}-`)
  try {
    await write(scratch)
    await chmod(scratch, 0o755)
    await rm(output, { recursive: true, force: true })
    // Another process may have been faster. Its build is just as good.
    await rename(scratch, output).catch((error: unknown) => {
      if (!existsSync(output)) throw error
    })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Whether a built file is newer than its sources and the lockfile. */
function isNewer(built: string, patterns: readonly string[]): boolean {
  if (!existsSync(built)) return false
  const time = statSync(built).mtimeMs
  const sources = globSync([...patterns, 'package-lock.json'], { cwd: root })
  return sources.every((source) => statSync(join(root, source)).mtimeMs < time)
}
