import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import BetterSqlite3 from 'better-sqlite3'
import express from 'express'
import { Secret, TOTP } from 'otpauth'
import { Passport } from 'passport'
import type { Strategy as PassportStrategy } from 'passport'

import type { Contender } from './contender.ts'

/** The parts of the compared packages that are used here. The packages need not be installed. */
interface PassportTotp {
  readonly Strategy: new (
    setup: (user: unknown, done: (error: unknown, key: Buffer, period: number) => void) => void,
  ) => PassportStrategy
}
interface Otplib {
  readonly verifySync: (options: object) => { readonly valid: boolean }
}
interface Speakeasy {
  readonly totp: { readonly verify: (options: object) => boolean }
}
interface BetterAuth {
  readonly betterAuth: (options: object) => { readonly $context: Promise<{ runMigrations(): Promise<void> }> }
}
interface BetterAuthPlugins {
  readonly twoFactor: (options: object) => object
}
interface BetterAuthNode {
  readonly toNodeHandler: (auth: object) => RequestListener
}

/** Those that are installed in the folder. */
export async function loadPeers(folder: string | undefined): Promise<Contender[]> {
  if (!folder) console.log('PEERS names no folder: only our own are measured')
  if (!folder) return []
  const require = createRequire(join(folder, 'package.json'))
  const wanted = { 'passport-totp': passportTotp, otplib, speakeasy, 'better-auth': betterAuth }
  const found: Contender[] = []
  for (const [name, create] of Object.entries(wanted)) {
    if (existsSync(join(folder, 'node_modules', name))) found.push(await create(require))
    else console.log(`${name} is not in ${folder}: left out`)
  }
  return found
}

/** The same secret for everybody: these keep nothing, and look nothing up. */
const totp = new TOTP({ secret: new Secret({ size: 20 }) })

async function passportTotp(require: NodeJS.Require): Promise<Contender> {
  const passport = new Passport()
  const { Strategy } = require('passport-totp') as PassportTotp
  passport.use(new Strategy((_user, done) => done(null, Buffer.from(totp.secret.buffer), 30)))
  return checkedBy('passport-totp', passport.authenticate('totp', { session: false }))
}

async function otplib(require: NodeJS.Require): Promise<Contender> {
  const { verifySync } = require('otplib') as Otplib
  return checkedBy('otplib', (req, res, next) => {
    if (verifySync({ secret: totp.secret.base32, token: req.body.code, epochTolerance: 30 }).valid) return next()
    res.sendStatus(401)
  })
}

async function speakeasy(require: NodeJS.Require): Promise<Contender> {
  const library = require('speakeasy') as Speakeasy
  return checkedBy('speakeasy', (req, res, next) => {
    const given = { secret: totp.secret.base32, encoding: 'base32', token: req.body.code, window: 1 }
    if (library.totp.verify(given)) return next()
    res.sendStatus(401)
  })
}

/** A library, as its documentation puts it into an app: no budget of tries, no database. */
async function checkedBy(name: string, check: express.RequestHandler): Promise<Contender> {
  const app = express()
  app.post('/check', express.json(), check, (_req, res) => res.json({ state: 'approved' }))
  const { url, close } = await serve(app)
  const pass = async () => {
    const body = JSON.stringify({ code: totp.generate() })
    const headers = { 'content-type': 'application/json' }
    return read(await fetch(`${url}/check`, { method: 'POST', headers, body }))
  }
  return contender(`${name} (no store)`, pass, close)
}

/** Its two-factor plugin over its own SQLite adapter, people signed in. */
async function betterAuth(require: NodeJS.Require): Promise<Contender> {
  const load = async <T>(name: string) => (await import(pathToFileURL(require.resolve(name)).href)) as T
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-bench-'))
  const database = new BetterSqlite3(join(folder, 'auth.sqlite'))
  database.pragma('journal_mode = WAL')
  const { twoFactor } = await load<BetterAuthPlugins>('better-auth/plugins')
  const { toNodeHandler } = await load<BetterAuthNode>('better-auth/node')
  let handle: RequestListener = (_req, res) => void res.end()
  const { url, close } = await serve((req, res) => handle(req, res))
  const auth = (await load<BetterAuth>('better-auth')).betterAuth({
    database,
    baseURL: url,
    secret: Buffer.from(totp.secret.buffer).toString('hex'),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    plugins: [twoFactor({ skipVerificationOnEnable: true })],
  })
  await (await auth.$context).runMigrations()
  handle = toNodeHandler(auth)

  let cookie = ''
  const post = async (path: string, content: object) => {
    const headers = { 'content-type': 'application/json', origin: url, cookie }
    const answer = await fetch(`${url}/api/auth${path}`, { method: 'POST', headers, body: JSON.stringify(content) })
    const set = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    if (set.length > 0) cookie = set.join('; ')
    return answer
  }
  const password = 'correct horse'
  await post('/sign-up/email', { email: 'person@example.com', name: 'Person', password })
  const { totpURI } = (await (await post('/two-factor/enable', { password })).json()) as { totpURI: string }
  const own = new TOTP({ secret: Secret.fromBase32(new URL(totpURI).searchParams.get('secret') ?? '') })
  const pass = async () => read(await post('/two-factor/verify-totp', { code: own.generate() }))
  return contender('better-auth twoFactor, SQLite', pass, async () => {
    await close()
    database.close()
    rmSync(folder, { recursive: true })
  })
}

async function contender(name: string, pass: () => Promise<boolean>, close: () => Promise<void>): Promise<Contender> {
  if (!(await pass())) throw new Error(`${name}: its code does not pass`)
  const replayed = await pass()
  return {
    name,
    replayed,
    close,
    async check() {
      if (!(await pass())) throw new Error(`${name}: did not pass`)
    },
  }
}

async function read(answer: Response): Promise<boolean> {
  await answer.text()
  return answer.ok
}

async function serve(listener: RequestListener): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
