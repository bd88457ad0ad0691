/**
 * `node scripts/production-dependencies.ts`, for the container image: turns the optional packages of the service into
 * dependencies, and removes the development dependencies. `npm install --omit=dev` then installs exactly these, in the versions
 * of the lockfile.
 */
import { readFile, writeFile } from 'node:fs/promises'

/** Optional packages of the command. */
const parts = [
  '@simplewebauthn/server',
  'age-encryption',
  'better-sqlite3',
  'nodemailer',
  'pg',
  'pino',
  'prom-client',
  'sax',
  'web-push',
] as const

const file = 'package.json'
const { devDependencies, scripts: _scripts, ...rest } = JSON.parse(await readFile(file, 'utf8'))
const added = Object.fromEntries(parts.map((name) => [name, devDependencies[name]]))
const dependencies = { ...rest.dependencies, ...added }
await writeFile(file, `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`)
