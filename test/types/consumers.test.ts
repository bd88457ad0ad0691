import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'

/** An app as people have them, in a project of its own that sees the package as it is built. */
const apps = {
  plain: `
    import express from 'express'
    import { isVerified, mfa, requireMfa } from 'second-factor'
    import { embedded } from 'second-factor/service'
    const app = express()
    app.use(mfa({ service: embedded({ database: ':memory:' }), user: () => ({ username: 'alice' }) }))
    app.get('/', requireMfa({ maxAge: 300 }), (req, res) => {
      const when: number | undefined = req.mfa?.verified?.at
      res.json({ when, verified: isVerified(req) })
    })
    // @ts-expect-error -- nobody has said that there are users
    export const user = (req: express.Request) => req.user.username`,

  passport: `
    import express from 'express'
    import passport from 'passport'
    import { mfa } from 'second-factor'
    import { MfaStrategy } from 'second-factor/passport'
    declare global {
      namespace Express {
        interface User { username: string; email: string }
      }
    }
    passport.use(new MfaStrategy({ codeField: 'otp' }))
    const app = express()
    app.use(mfa({ user: (req) => (req as express.Request).user }))
    app.post('/login', passport.authenticate('local'), passport.authenticate('mfa'), (req, res) => {
      const email: string | undefined = req.user?.email
      res.json({ email })
    })`,

  clientAndTests: `
    import { ApiError, createClient } from 'second-factor/client'
    import { createTestClock, startTestService } from 'second-factor/testing'
    const client = createClient({ baseUrl: 'https://mfa.example/api', apiKey: 'k' })
    export const name: Promise<string> = client.users.getByUsername('alice').then((user) => user.name)
    export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)
    export const all = [createTestClock(), startTestService()]`,

  commonJs: `
    import express = require('express')
    import secondFactor = require('second-factor')
    import { createClient } from 'second-factor/client'
    const app = express()
    app.use(secondFactor.mfa({ provision: true }))
    export = { app, createClient }`,
}

const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false }
const lax = { exactOptionalPropertyTypes: false, strict: false, strictNullChecks: true, skipLibCheck: false }
const node = { module: 'nodenext', moduleResolution: 'nodenext' }
const bundler = { module: 'esnext', moduleResolution: 'bundler' }

async function check(file: string, code: string, options: object): Promise<string[]> {
  await mkdir(join(root, 'reports'), { recursive: true })
  // Below the repository, so that packages are found.
  const folder = await mkdtemp(join(root, 'reports/types-'))
  try {
    const common = { target: 'es2023', lib: ['es2024', 'dom'], strict: true, noEmit: true, types: ['node'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...common, ...options } }))
    await writeFile(join(folder, file), code)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const run = promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder })
    const { stdout } = await run.catch((failed: { stdout: string }) => failed)
    // What is wrong with the types of others is theirs.
    return stdout.split('\n').filter((line) => line.includes('error TS') && !/node_modules\//.test(line))
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the types, in a project of somebody else', () => {
  it.each([
    ['strictest, without Passport', 'app.mts', apps.plain, { ...node, ...strictest }],
    ['with Passport and a user of its own', 'app.mts', apps.passport, { ...node, ...strictest }],
    ['of a bundler, with Passport', 'app.ts', apps.passport, { ...bundler, ...lax }],
    ['for node16, with client and kit', 'app.mts', apps.clientAndTests, { module: 'node16', ...strictest }],
    ['of CommonJS', 'app.cts', apps.commonJs, { ...node, ...strictest, esModuleInterop: true }],
  ])('say nothing wrong: %s', { timeout: 120_000 }, async (_, file, code, options) => {
    expect(await check(file, code, options)).toEqual([])
  })
})
