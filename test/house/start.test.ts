import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, describe, expect, it } from 'vitest'

import { filesBelow } from '../../scripts/fingerprint.ts'
import { root } from '../../scripts/run.ts'
import { defaultVendor, mediaType } from '../../src/contract/media-type.ts'

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
const built = join(root, 'dist')

/** The files of the package, and the packages, that a piece of an app's code reads when it starts. */
async function filesReadBy(code: string): Promise<string[]> {
  return (await linesOf(code))
    .map((url) => {
      const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
      return name ?? url.replace(`${pathToFileURL(built).href}/`, '')
    })
    .sort()
}

/** What it prints, between the addresses of the files that it reads. */
async function linesOf(code: string): Promise<string[]> {
  const hooks = `data:text/javascript,${encodeURIComponent(watched)}`
  const args = ['--import', hooks, '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  return stdout.trim().split('\n')
}

const entry = (name: string) => JSON.stringify(pathToFileURL(join(built, name)).href)

/** The packages that the command loads, as it was built. */
async function packagesLoadedBy(...args: readonly string[]): Promise<string[]> {
  const main = JSON.stringify(pathToFileURL(join(root, 'dist/cli/main.js')).href)
  const typed = JSON.stringify(args).slice(1, -1)
  const read = await filesReadBy(`process.argv.splice(1, 0, 'second-factor', ${typed}); await import(${main})`)
  return packages.filter((name) => read.includes(name))
}

const packages = ['express', 'jose', 'kysely', 'otpauth', 'pino', 'qr', 'sax']

describe('the command', () => {
  it.each([['--version'], ['--help']])('the command loads nothing of the service for %s', async (flag) => {
    expect(await packagesLoadedBy(flag)).toEqual([])
  })

  it('the command does not load Express, not even for serve, before a request needs it', async () => {
    expect(await packagesLoadedBy('domain', 'list', '--help')).toEqual(['otpauth'])
    expect(await packagesLoadedBy('serve', '--help')).toEqual(['otpauth'])
  })

  it('the command does not load the fetch of Node for serve, because it takes 13 MB', async () => {
    const main = JSON.stringify(pathToFileURL(join(root, 'dist/cli/main.js')).href)
    const code = `
      process.on('exit', () => console.log('loaded', process.moduleLoadList.filter((name) => name.includes('undici'))))
      process.argv.splice(1, 0, 'second-factor', 'serve', '--help')
      await import(${main})`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])

    expect(stdout.split('\n')).toContain('loaded []')
  })
})

describe('a service that starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-start-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const start = `
    const { createService } = await import(${entry('service/index.js')})
    const logger = { info() {}, warn() {}, error() {} }
    const service = await createService({ database: ${JSON.stringify(join(folder, 'mfa.sqlite'))}, logger })
    await service.close()`

  /** The modules of `src/` in the built files. */
  const modulesIn = (files: readonly string[]) => {
    const listed = JSON.parse(readFileSync(join(built, '.modules.json'), 'utf8')) as Record<string, string[]>
    return files.flatMap((file) => listed[file] ?? [])
  }

  it('a service starts without the modules for the console, the reference, mails, PostgreSQL, push and migrations', async () => {
    const needed = [
      /\/routes\/console(-rest)?\.ts$/,
      /\/people\/console\.ts$/,
      /\/openapi\//,
      /\/mail\/texts\/(?!load)/,
      /\/database\/postgres/,
      /\/0001-schema\.ts$/,
    ]
    const sources = await filesBelow(join(root, 'src'))
    expect(needed.filter((pattern) => !sources.some((path) => pattern.test(path)))).toEqual([])
    const whenNew = await filesReadBy(start)
    const read = await filesReadBy(start)

    expect(whenNew).not.toContain('web-push')
    expect(modulesIn(whenNew)).toContain('src/service/engine/database/schema/0001-schema.ts')
    expect(read).not.toContain('web-push')
    expect(modulesIn(read)).toContain('src/service/routes/rest.ts')
    expect(modulesIn(read).filter((module) => needed.some((pattern) => pattern.test(module)))).toEqual([])
  })
})

describe('the first sign-in after a start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-first-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('the first sign-in after a start loads no module', async () => {
    const seed = '12'.repeat(20)
    const signIn = (first: boolean) => `
      const { createHmac } = await import('node:crypto')
      const { createServer, request } = await import('node:http')
      const { createService } = await import(${entry('service/index.js')})
      const logger = { info() {}, warn() {}, error() {} }
      const service = await createService({ database: ${JSON.stringify(join(folder, 'mfa.sqlite'))}, logger })
      const { administration } = service
      const [organization = await administration.createOrganization('A')] = await administration.organizations()
      const [domain = await administration.createDomain(organization.id, { name: 'A' })] =
        await administration.domains(organization.id)
      const key = await administration.createApiKey(organization.id)
      const server = createServer(service.listener).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const type = ${JSON.stringify(mediaType(defaultVendor, '1.4'))}
      const call = (method, path, body = {}) => new Promise((resolve) => {
        const headers = { authorization: 'Service key="' + key + '"', accept: type, 'content-type': type }
        const sent = request({ port: server.address().port, method, path: '/api' + path, headers }, async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve(text === '' ? {} : JSON.parse(text))
        })
        sent.end(JSON.stringify(body))
      })
      if (${first}) {
        const user = await call('POST', '/users', { username: 'a', name: 'a', email: null })
        await call('PUT', '/domains/' + domain.id + '/users/' + user.id)
        const token = await call('POST', '/hardware', { serialNumber: 'a', type: 'TOTP6', timeStep: 30, seed: '${seed}' })
        await call('PUT', '/users/' + user.id + '/hardware/' + token.id)
      } else {
        console.log('ready')
        const counter = Buffer.alloc(8)
        counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
        const hash = createHmac('sha1', Buffer.from('${seed}', 'hex')).update(counter).digest()
        const otp = String((hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff) % 1e6).padStart(6, '0')
        const body = { user: { username: 'a' }, otp }
        console.log((await call('POST', '/domains/' + domain.id + '/sessions', body)).state)
      }
      server.close()
      await service.close()`
    await filesReadBy(signIn(true))
    const output = await linesOf(signIn(false))

    expect(output.slice(output.indexOf('ready'))).toEqual(['ready', 'approved'])
  })
})

describe('an app that starts with mfa()', () => {
  it('an app that starts with mfa() reads a handful of files, none of the service, device or command', async () => {
    const read = await filesReadBy(`
      const { mfa } = await import(${entry('index.js')})
      mfa({ service: { baseUrl: 'https://mfa.example/api', apiKey: 'k', domainId: 'd' }, user: () => null })
    `)

    expect(read).toEqual([
      'eta',
      // Its version, in its package.json.
      'express',
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

  it('requireMfa({ bearer }) reads nothing for access tokens before a request brings one', async () => {
    const read = await filesReadBy(`
      const { requireMfa } = await import(${entry('index.js')})
      requireMfa({ bearer: { issuer: 'https://login.example', audience: 'api' }, acr: ['phr'] })
    `)

    expect(read).toContain('parts/express.js')
    expect(read).not.toContain('parts/bearer.js')
    expect(read).not.toContain('jose')
  })

  it.each(['express', 'service-core'])('the part %s has the texts of no language but English', (part) => {
    expect(readFileSync(join(built, 'parts', `${part}.js`), 'utf8')).not.toMatch(/\p{Script=Hiragana}/u)
  })

  it('the Passport strategy makes an app read only its own files and passport-strategy in addition', async () => {
    const filesWithStrategy = await filesReadBy(
      `await import(${entry('index.js')}); await import(${entry('passport/index.js')})`,
    )
    const filesWithoutStrategy = await filesReadBy(`await import(${entry('index.js')})`)

    expect(new Set(filesWithStrategy.filter((file) => !filesWithoutStrategy.includes(file)))).toEqual(
      new Set(['passport/index.js', 'parts/passport.js', 'passport-strategy']),
    )
  })

  it('an app with mfa() can be CommonJS', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=commonjs',
      '--eval',
      `console.log(typeof require(${JSON.stringify(join(built, 'index.js'))}).mfa)`,
    ])

    expect(stdout.trim()).toBe('function')
  })
})

describe('an error that nothing catches', () => {
  it.each(['index.js', 'service/index.js'])(
    'an error that nothing catches stands below one short line of code: %s',
    async (name) => {
      const start = name === 'index.js' ? 'mfa({ servce: 1 })' : 'embedded({ databse: 1 })'
      const code = `const { mfa, embedded } = await import(${entry(name)}); ${start}`
      const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])

      const { stderr } = await run.catch((error: unknown) => error as { stderr: string })

      expect(stderr).toMatch(/^TypeError: \w+: .*did you mean/m)
      expect(stderr.length).toBeLessThan(4000)
    },
  )
})
