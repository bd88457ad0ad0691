import { createHash } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds what runs in a browser: the script of the challenge page and the authenticator. */
export async function buildAssets(): Promise<void> {
  // Vite sets it for the whole process; what runs after the build is none of its business.
  const { NODE_ENV: before } = process.env
  try {
    await buildChallengeScript()
    await buildAuthenticator()
  } finally {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  }
}

/** The script of the challenge page, as one file. */
export async function buildChallengeScript(): Promise<void> {
  const output = join(root, 'dist', 'browser')
  const name = 'challenge.js'
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
          entry: join(root, 'src', 'browser', 'challenge-page.ts'),
          formats: ['es'],
          fileName: () => name,
        },
      },
    })
    // Beside it is what single-page apps import, which is built with the rest of the package.
    await rename(join(scratch, name), join(output, name))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The installable web app, as static files with relative addresses and nothing inline. */
export async function buildAuthenticator(): Promise<void> {
  const output = join(root, 'dist', 'authenticator')
  if (
    isNewer(join(output, 'index.html'), ['src/{authenticator,device,contract}/**', 'src/clock.ts', 'scripts/assets.ts'])
  )
    return

  await intoPlace(output, (folder) =>
    build({
      root: join(root, 'src', 'authenticator'),
      configFile: false,
      base: './',
      logLevel: 'error',
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      plugins: [effectOf('no-eval.ts'), serviceWorker()],
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: 'es2022',
        // A data: address or an inline script would need a hole in the page's policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
      },
    }),
  )
}

/** The package says that importing does nothing; this one file is there for what importing it does. */
function effectOf(file: string): Plugin {
  return {
    name: 'second-factor:effect',
    transform: (code, id) => (id.endsWith(`/${file}`) ? { code, map: null, moduleSideEffects: true } : undefined),
  }
}

/** Writes sw.js with the list of the files it keeps. */
function serviceWorker(): Plugin {
  return {
    name: 'second-factor:service-worker',
    async generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => name !== 'index.html')
      const shell = ['./', 'manifest.webmanifest', 'icon.svg', ...files]
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

/** A whole folder appears at once, so that a server that runs meanwhile never serves half of it. */
async function intoPlace(output: string, write: (folder: string) => Promise<unknown>): Promise<void> {
  await mkdir(join(output, '..'), { recursive: true })
  const scratch = await mkdtemp(`${output}-`)
  try {
    await write(scratch)
    await chmod(scratch, 0o755)
    await rm(output, { recursive: true, force: true })
    // Another process may have been first; what it built is as good.
    await rename(scratch, output).catch((error: unknown) => {
      if (!existsSync(output)) throw error
    })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Whether a built file is newer than all it was made from; also what it was installed with. */
function isNewer(built: string, patterns: readonly string[]): boolean {
  if (!existsSync(built)) return false
  const time = statSync(built).mtimeMs
  const sources = globSync([...patterns, 'package-lock.json'], { cwd: root })
  return sources.every((source) => statSync(join(root, source)).mtimeMs < time)
}
