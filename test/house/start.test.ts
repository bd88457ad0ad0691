import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

/** Tells of each file that is read for a module. */
const watched = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) console.log(url)
      return next(url, context)
    },
  })
`

/** The package as it was built. */
const folder = join(root, 'dist')

/** The files of the package, and the packages, that a piece of an app's code reads when it starts. */
async function filesReadBy(code: string): Promise<string[]> {
  const hooks = `data:text/javascript,${encodeURIComponent(watched)}`
  const args = ['--import', hooks, '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  return stdout
    .trim()
    .split('\n')
    .map((url) => {
      const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
      return name ?? url.replace(`${pathToFileURL(folder).href}/`, '')
    })
    .sort()
}

const entry = (name: string) => JSON.stringify(pathToFileURL(join(folder, name)).href)

/** The packages that the command loads, as it was built. */
async function packagesLoadedBy(...args: readonly string[]): Promise<string[]> {
  const main = JSON.stringify(pathToFileURL(join(root, 'dist/cli/main.js')).href)
  const typed = JSON.stringify(args).slice(1, -1)
  const read = await filesReadBy(`process.argv.splice(1, 0, 'second-factor', ${typed}); await import(${main})`)
  return packages.filter((name) => read.includes(name))
}

const packages = ['commander', 'express', 'jose', 'kysely', 'otpauth', 'pino', 'qr', 'sax']

describe('the command', () => {
  it.each([['--version'], ['--help']])('loads nothing of the service for %s', async (flag) => {
    expect(await packagesLoadedBy(flag)).toEqual(['commander'])
  })

  it('loads Express not even for serve, before a request needs it', async () => {
    expect(await packagesLoadedBy('domain', 'list', '--help')).toEqual(['commander', 'otpauth'])
    expect(await packagesLoadedBy('serve', '--help')).toEqual(['commander', 'otpauth'])
  })

  it('does not load the fetch of Node for serve: it takes 13 MB', async () => {
    const main = JSON.stringify(pathToFileURL(join(root, 'dist/cli/main.js')).href)
    const code = `
      process.on('exit', () => console.log('loaded', process.moduleLoadList.filter((name) => name.includes('undici'))))
      process.argv.splice(1, 0, 'second-factor', 'serve', '--help')
      await import(${main})`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])

    expect(stdout.split('\n')).toContain('loaded []')
  })
})

describe('an app that starts with mfa()', () => {
  it('reads a handful of files, none of them of the service, the device or the command', async () => {
    const read = await filesReadBy(`
      const { mfa } = await import(${entry('index.js')})
      mfa({ service: { baseUrl: 'https://mfa.example/api', apiKey: 'k', domainId: 'd' }, user: () => null })
    `)

    expect(read).toEqual([
      'eta',
      'index.js',
      'otpauth',
      'parts/challenge.js',
      'parts/client.js',
      'parts/contract.js',
      'parts/express.js',
      // A few lines of the bundler's own.
      'parts/rolldown-runtime.js',
      'parts/zod.js',
      'qr',
    ])
  })

  it('reads one more file and passport-strategy for the strategy', async () => {
    const both = await filesReadBy(`await import(${entry('index.js')}); await import(${entry('passport/index.js')})`)
    const alone = await filesReadBy(`await import(${entry('index.js')})`)

    expect(new Set(both.filter((file) => !alone.includes(file)))).toEqual(
      new Set(['passport/index.js', 'parts/passport.js', 'passport-strategy']),
    )
  })

  it('can be CommonJS', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=commonjs',
      '--eval',
      `console.log(typeof require(${JSON.stringify(join(folder, 'index.js'))}).mfa)`,
    ])

    expect(stdout.trim()).toBe('function')
  })
})
