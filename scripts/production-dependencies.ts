/**
 * `node scripts/production-dependencies.ts`: for the container image. Makes the optional parts of the service dependencies in
 * package.json and removes the development dependencies. `npm install --omit=dev` then installs the versions of the
 * lockfile, and nothing else.
 */
import { readFile, writeFile } from 'node:fs/promises'

/** What `second-factor serve` uses where it is there. */
const parts = ['better-sqlite3', 'nodemailer', 'pg', 'pino', 'prom-client', 'sax', 'web-push'] as const

const file = 'package.json'
const { devDependencies, scripts: _scripts, ...rest } = JSON.parse(await readFile(file, 'utf8'))
const added = Object.fromEntries(parts.map((name) => [name, devDependencies[name]]))
const dependencies = { ...rest.dependencies, ...added }
await writeFile(file, `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`)
