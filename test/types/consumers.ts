import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { unpackPackage } from '../support/packed-package.ts'

const run = promisify(execFile)

/** Apps as people have them. */
const apps = {
  plain: `
    import express from 'express'
    import { isVerified, mfa, requireApproval, requireMfa, verifiedBearer } from 'second-factor'
    import type { BearerOptions } from 'second-factor'
    import { embedded } from 'second-factor/service'
    const app = express()
    app.use(mfa({ service: embedded({ database: ':memory:' }), user: () => ({ username: 'alice' }) }))
    app.get('/', requireMfa({ maxAge: 300 }), (req, res) => {
      const when: number | undefined = req.mfa?.verified?.at
      res.json({ when, verified: isVerified(req) })
    })
    const approved = requireApproval((req: express.Request<{ id: string }>) => ({ title: req.params.id }))
    app.delete('/projects/:id', requireMfa(), approved, (req, res) => {
      const id: string = req.params.id
      res.send(id)
    })
    const bearer = { issuer: 'https://login.example', audience: ['https://api.example'], algorithms: ['ES256'] } satisfies BearerOptions
    app.post('/api', requireMfa({ bearer, acr: ['phr'], maxAge: 300 }), (req, res) => {
      const subject: string = verifiedBearer(req, { acr: ['phrh'] }).subject
      res.json({ subject, scopes: req.mfa?.bearer?.scopes })
    })
    // @ts-expect-error -- the app has not declared that it has users
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

  fastify: `
    import createFastify from 'fastify'
    import { mfa, requireMfa, verifiedMfa } from 'second-factor/fastify'
    import { embedded } from 'second-factor/service'
    const app = createFastify()
    app.register(mfa, { service: embedded({ database: ':memory:' }), user: () => ({ username: 'alice' }) })
    app.post('/transfer', { preHandler: requireMfa({ maxAge: 300 }) }, (request) => {
      const when: number | undefined = request.mfa?.verified?.at
      return { when, factor: verifiedMfa(request).factor }
    })
    // @ts-expect-error -- nobody says who is signed in
    app.register(mfa, {})`,

  clientAndTests: `
    import { followSecondStep, leadToSecondStep } from 'second-factor/browser'
    import { ApiError, createClient } from 'second-factor/client'
    import { createTestClock, startTestIssuer, startTestService } from 'second-factor/testing'
    const client = createClient({ baseUrl: 'https://mfa.example/api', apiKey: 'k' })
    export const name: Promise<string> = client.users.getByUsername('alice').then((user) => user.name)
    export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)
    export const all = [createTestClock(), startTestIssuer(), startTestService(), leadToSecondStep(new Response()), followSecondStep()]`,

  commonJs: `
    import express = require('express')
    import secondFactor = require('second-factor')
    import { MfaStrategy } from 'second-factor/passport'
    import { createClient } from 'second-factor/client'
    const app = express()
    app.use(secondFactor.mfa({ provision: true }))
    export = { app, createClient, MfaStrategy }`,
}

/** Checks declarations as well, except those of TypeScript itself. */
const strictest = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
}
const lax = { exactOptionalPropertyTypes: false, strict: false, strictNullChecks: true }
const resolution = (name: string) => ({ module: name, moduleResolution: name === 'node20' ? 'node16' : name })

type Files = Readonly<Record<string, string>>

type Project = readonly [name: string, options: object, files: Files]

/** Each way in which a project can find the package, and in a project of its own what does not get along with others. */
const projects: readonly Project[] = [
  [
    'nodenext',
    { ...resolution('nodenext'), ...strictest },
    { 'app.mts': apps.plain, 'app.cts': apps.commonJs, 'fastify.mts': apps.fastify },
  ],
  ['node20', resolution('node20'), { 'app.mts': apps.passport, 'app.cts': apps.commonJs }],
  [
    'commonjs',
    { module: 'commonjs', esModuleInterop: true },
    { 'app.ts': apps.passport, 'old.ts': apps.commonJs, 'kit.ts': apps.clientAndTests },
  ],
  [
    'node16, which has no CommonJS app',
    resolution('node16'),
    { 'app.mts': apps.passport, 'kit.mts': apps.clientAndTests },
  ],
  [
    'a bundler',
    { module: 'preserve', moduleResolution: 'bundler', ...lax },
    { 'app.ts': apps.passport, 'app.cts': apps.commonJs },
  ],
]

/** The one way in which it cannot be found. */
const requiring: Project = ['node16, with a CommonJS app', resolution('node16'), { 'app.cts': apps.commonJs }]

/** The folder of a consumer, with the package as it is published. */
let place: string

beforeAll(async () => {
  await mkdir(join(root, 'reports'), { recursive: true })
  // Below the repository, so that the packages of others are found.
  place = await mkdtemp(join(root, 'reports/types-'))
  await mkdir(join(place, 'node_modules'))
  await rename(await unpackPackage(place), join(place, 'node_modules/second-factor'))
  await writeFile(join(place, 'package.json'), '{}')
})
afterAll(() => rm(place, { recursive: true }))

async function writeProject(folder: string, options: object, files: Files): Promise<void> {
  const common = {
    target: 'es2023',
    lib: ['es2024', 'dom'],
    strict: true,
    noEmit: true,
    types: ['node'],
    skipLibCheck: true,
  }
  const compilerOptions = { ...common, esModuleInterop: true, ...options }
  await mkdir(join(place, folder))
  await writeFile(join(place, folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const [name, code] of Object.entries(files)) await writeFile(join(place, folder, name), code)
}

/** What the compiler says of projects. It reads what they share once. */
async function compile(compiler: string, folders: readonly string[]): Promise<string[]> {
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
  // TypeScript 7 is a program in Go. By default, collecting garbage takes it a third of its time.
  const env = { ...process.env, GOGC: '400' }
  const { stdout } = await run(process.execPath, [tsc, '--build', ...folders], { cwd: place, env }).catch(
    (failed: { stdout: string }) => failed,
  )
  // What is wrong with the types of others is theirs.
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS') && !/node_modules\/(?!second-factor\/)/.test(line))
}

export interface Compiler {
  readonly version: string
  /** The name of its package here. */
  readonly name: string
  readonly options?: object
  /** Projects that came later than this compiler. */
  readonly lacks?: readonly string[]
}

/** That all ways to find the package compile, and the one that cannot be found does not. */
export function describeTypes({ version, name: compiler, options: own = {}, lacks = [] }: Compiler): void {
  describe(`the types of the packed package, by TypeScript ${version}`, () => {
    const known = projects.filter(([name]) => !lacks.includes(name))
    const all = [...known, requiring]
    const folderOf = (name: string) => `${version} ${name}`
    let errors: readonly string[]

    beforeAll(async () => {
      for (const [name, options, files] of all) await writeProject(folderOf(name), { ...options, ...own }, files)
      errors = await compile(
        compiler,
        all.map(([name]) => folderOf(name)),
      )
    })

    it.each(known)('the types of the package compile in a project of %s', (name) => {
      const otherProjects = all.map(([other]) => other).filter((other) => other !== name)

      // An error without a file is an error of each project.
      expect(errors.filter((line) => !otherProjects.some((other) => line.startsWith(`${folderOf(other)}/`)))).toEqual(
        [],
      )
    })

    it('the types of the package cannot be required under node16, as the README says', () => {
      const requireErrors = errors.filter((line) => line.startsWith(`${folderOf(requiring[0])}/`))

      expect(requireErrors).toContainEqual(expect.stringMatching(/TS1471|TS1479|TS1541/))
    })
  })
}
