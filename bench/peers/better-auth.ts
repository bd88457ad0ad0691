/** An Express app with better-auth, its plugin twoFactor and its own SQLite adapter on the database in the first argument. */
import BetterSqlite3 from 'better-sqlite3'
import express from 'express'
import type { RequestHandler } from 'express'
import { Secret, TOTP } from 'otpauth'

import { listen, ready } from '../contenders/listen.ts'

/** The parts of the package that are used here. It is installed only for the benchmark. */
interface BetterAuth {
  readonly betterAuth: (options: object) => {
    readonly $context: Promise<{ runMigrations(): Promise<void> }>
    readonly api: { readonly getSession: (request: { headers: Headers }) => Promise<object | null> }
  }
}
interface Plugins {
  readonly twoFactor: (options: object) => object
}
interface NodeHelpers {
  readonly toNodeHandler: (auth: object) => RequestHandler
  readonly fromNodeHeaders: (headers: object) => Headers
}

interface Password {
  readonly hash: string
  readonly password: string
}

/** A user with a second factor, signed in. */
export interface SignedIn {
  readonly cookie: string
  /** To sign in again. */
  readonly login: { readonly email: string; readonly password: string }
  /** Hexadecimal. */
  readonly seed: string
}

const load = async <T>(name: string) => (await import(name)) as T
const { betterAuth } = await load<BetterAuth>('better-auth')
const { twoFactor } = await load<Plugins>('better-auth/plugins')
const { toNodeHandler, fromNodeHeaders } = await load<NodeHelpers>('better-auth/node')

const [file = '', users = '0'] = process.argv.slice(2)
const database = new BetterSqlite3(file)
database.pragma('journal_mode = WAL')

const app = express()
const { url, close } = await listen(app)
const auth = betterAuth({
  database,
  baseURL: url,
  secret: 'for a benchmark, 32 characters or more',
  // Passwords are not measured.
  emailAndPassword: {
    enabled: true,
    password: {
      hash: async (text: string) => text,
      verify: async (attempt: Password) => attempt.hash === attempt.password,
    },
  },
  rateLimit: { enabled: false },
  plugins: [twoFactor({ skipVerificationOnEnable: true })],
})
await (await auth.$context).runMigrations()
app.all('/api/auth/*path', toNodeHandler(auth))
app.get('/page', (req, res, next) => {
  auth.api
    .getSession({ headers: fromNodeHeaders(req.headers) })
    .then((session) => void (session ? res.send('Hello') : res.sendStatus(401)), next)
})

const signedIn: SignedIn[] = []
for (let index = 0; index < Number(users); index++) signedIn.push(await signUp(`person-${index}@example.com`))
ready({ url, users: signedIn }, () => {
  close()
  database.close()
})

async function signUp(email: string): Promise<SignedIn> {
  let cookie = ''
  const post = async (path: string, content: object) => {
    const headers = { 'content-type': 'application/json', origin: url, cookie }
    const response = await fetch(`${url}/api/auth${path}`, { method: 'POST', headers, body: JSON.stringify(content) })
    const set = response.headers.getSetCookie().map((line) => line.split(';')[0])
    if (set.length > 0) cookie = set.join('; ')
    return response
  }
  const password = 'correct horse battery'
  await post('/sign-up/email', { email, name: 'Person', password })
  const enabled = (await (await post('/two-factor/enable', { password })).json()) as { totpURI: string }
  const secret = Secret.fromBase32(new URL(enabled.totpURI).searchParams.get('secret') ?? '')
  // The session that enabling creates.
  const { status } = await post('/two-factor/verify-totp', { code: new TOTP({ secret }).generate() })
  if (status !== 200) throw new Error(`better-auth answered the code with ${status}`)
  return { cookie, login: { email, password }, seed: secret.hex }
}
