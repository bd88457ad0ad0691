import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createServer as createHttpServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import Database from 'better-sqlite3'

import { openCertificates } from '../../../example-app/https/certificate.ts'
import { createClient } from '../../../src/client/client.ts'
import { createDevice } from '../../../src/device/index.ts'
import type { Account } from '../../../src/device/index.ts'
import type { Decision } from '../../../src/contract/device.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import type { NewDomain } from '../../../src/service/features/domains/administration.ts'
import { createService } from '../../../src/service/service.ts'
import { quickHash } from '../../service/start-service.ts'
import { listenAgain } from '../listen-again.ts'

export type DoorService = Awaited<ReturnType<typeof startDoorService>>

/** A service with HTTPS and a database in a file, as what administrators run reaches it, and the phones of its people. */
export async function startDoorService(domain: Partial<NewDomain>) {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-doors-'))
  const { server: certificate, authority } = await openCertificates(folder, ['localhost'], systemClock.now())
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.toString())
  const file = join(folder, 'mfa.sqlite')
  const logged: Record<string, unknown>[] = []
  const note = (facts: object, message: string) => void logged.push({ ...facts, message })
  const service = await createService({
    database: file,
    clock: systemClock,
    pinHashCost: quickHash,
    push: false,
    limits: { requestsPerSecond: 1_000_000, concurrentRequests: 100_000, responseTime: 600_000 },
    logger: { info: note, warn: note, error: note },
  })
  const organization = await service.administration.createOrganization('Acme')
  const { id: domainId } = await service.administration.createDomain(organization.id, { name: 'VPN', ...domain })
  const adminKey = await service.administration.createApiKey(organization.id)
  const apiKey = await service.administration.createApiKey(organization.id, { role: 'auth', domainId })

  /** The calls of what stands in front, as they arrived. */
  const calls: { readonly method: string; readonly path: string; readonly body: string }[] = []
  const plain = createHttpServer({ keepAliveTimeout: 60_000 }, service.listener)
  await listenAgain(plain)
  const { port } = plain.address() as AddressInfo
  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = req
    const body = Buffer.concat(await req.toArray())
    calls.push({ method, path: url, body: body.toString() })
    const forwarded = httpRequest({ port, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(res)
    })
    forwarded.on('error', () => res.destroy())
    res.on('close', () => forwarded.destroy())
    forwarded.end(body)
  }
  const { certificate: cert, key } = certificate
  const secure = createServer({ cert, key }, (req, res) => void forward(req, res))
  await listenAgain(secure)
  const phones = `http://localhost:${port}`
  const client = createClient({ baseUrl: `${phones}/api`, apiKey: adminKey })
  const core = createDevice()
  const accounts = new Map<string, Account>()
  const database = new Database(file, { readonly: true })

  const accountOf = (username: string): Account => {
    const account = accounts.get(username)
    if (!account) throw new Error(`${username} has no phone`)
    return account
  }
  const pending = async (username: string) => (await core.requests(accountOf(username))).requests ?? []

  return {
    baseUrl: `https://localhost:${(secure.address() as AddressInfo).port}/api`,
    caFile,
    folder,
    domainId,
    apiKey,
    client,
    calls,
    logged,
    async addUser(username: string) {
      const user = await client.users.create({ username, name: username.slice(0, 100), email: 'person@example.com' })
      await client.domains.addUser(domainId, user.id)
      return user
    },
    /** Sets up a phone. */
    async enroll(username: string) {
      const user = await this.addUser(username)
      const { code = '' } = await client.tokens.issue(domainId, user.id)
      accounts.set(username, await core.activate(phones, code, { name: 'Phone' }))
      return user
    },
    pending,
    /** Answers the newest request once it is there. @param number As the person reads it. */
    async answer(username: string, decision: Decision, number?: string): Promise<void> {
      const account = accountOf(username)
      for (const end = Date.now() + 20_000; Date.now() < end; await pause(20)) {
        const [request] = await pending(username)
        if (request) return void (await core.answer(account, request, { decision, ...(number && { number }) }))
      }
      throw new Error(`no request reached the phone of ${username}`)
    },
    /** How many requests the phone of a user has got. */
    pushes: (userId: string) =>
      (
        database
          .prepare('select count(*) as n from session where user_id = ? and device_id is not null')
          .get(userId) as { n: number }
      ).n,
    /** No connection from now on. */
    async stop() {
      secure.closeAllConnections()
      await new Promise((resolve) => secure.close(resolve))
    },
    async close() {
      database.close()
      for (const server of [secure, plain]) {
        server.closeAllConnections()
        server.close()
      }
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
