import { randomBytes } from 'node:crypto'

import { createClient } from '../../src/client/client.ts'
import { createDevice } from '../../src/device/device.ts'
import { createTestPasskey } from '../../src/testing/test-passkey.ts'
import type { TestPasskey } from '../../src/testing/test-passkey.ts'
import { forEachOf } from '../../test/support/crowd/http-client.ts'
import type { Row } from '../row.ts'
import { figure } from '../row.ts'
import { median, percentile } from '../spread.ts'
import { sqliteFile, startService } from './start-service.ts'

/** Users who approve with a PIN at once. */
const approvals = 25
const pin = '4071'
/** Users with a passkey, who take turns: each may use it 30 times in 10 minutes. */
const passkeyUsers = 100
/** The pause between two sign-ins with the passkey, milliseconds. */
const pause = 10
const origin = 'https://app.example'

const pinsRest =
  'Node computes scrypt on four threads, which also check signatures of WebCrypto, read files and look up names, first in, first out. Tried, with a higher cost: all hashes at once, where the last PIN took ' +
  '6.6 s and 99 % of the checks of WebCrypto 6.1 s; two at a time, 7.8 s and 74 ms. Done: half of the cores compute hashes at a time, and a PIN of four digits, which no cost protects once the database ' +
  'and its keys are stolen, has the cost 2^14.'

export const pins: Row = {
  name: 'pins',
  title: 'PINs beside passkeys',
  work:
    `${approvals} users approve a request with their PIN at the same time, at a service with a SQLite file. Meanwhile one of 100 other users after the other signs in with a passkey over REST, ${pause} ms after the last one: the options, ` +
    'the signature, and the session that it approves. PINs are hashed with scrypt, which is slow by intention. There is no peer.',
  columns: [
    { key: 'all', title: `ms until ${approvals} PINs are done`, unit: 'ms' },
    { key: 'median', title: 'passkey, median ms', unit: 'ms' },
    { key: 'slowest', title: 'passkey, 99 % within ms', unit: 'ms' },
  ],
  chart: 'slowest',
  lowerIsBetter: true,
  async measure(run) {
    const service = await startService(sqliteFile(run.folder, 'pins'), {
      keyType: 'PIN',
      env: { EARLY_REJECTIONS: 'yes' },
    })
    const { url, apiKey, domainId } = service.given
    const client = createClient({ baseUrl: `${url}/api`, apiKey })
    const device = createDevice()
    const newUser = async (username: string) => {
      const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
      await client.domains.addUser(domainId, id)
      return id
    }
    const accounts = await Promise.all(
      Array.from({ length: approvals }, async (_, index) => {
        const userId = await newUser(`pin-${index}`)
        const { code = '' } = await client.tokens.issue(domainId, userId)
        return device.activate(url, code, { name: 'Benchmark', pin })
      }),
    )
    const passkeys: { readonly userId: string; readonly passkey: TestPasskey }[] = []
    for (let index = 0; index < passkeyUsers; index++) {
      const userId = await newUser(`passkey-${index}`)
      passkeys.push({ userId, passkey: await createTestPasskey({ client, domainId }, userId, origin) })
    }
    let turn = 0
    const rp = { id: new URL(origin).hostname, origins: [origin] }

    async function usePasskey(): Promise<number> {
      const { userId, passkey } = passkeys[turn++ % passkeyUsers]!
      const startTime = performance.now()
      const challenge = randomBytes(16).toString('base64url')
      const options = await client.passkeys.startAuthentication(domainId, userId, { rp, challenge })
      const session = { user: { id: userId }, challenge, passkey: passkey.use(options) }
      const { state } = await client.sessions.create(domainId, session)
      if (state !== 'approved') throw new Error(`the session with the passkey is ${state}`)
      return performance.now() - startTime
    }

    /** Signs in with the passkey until `isOver`. @returns how long each took. */
    async function usePasskeyUntil(isOver: () => boolean): Promise<number[]> {
      const times: number[] = []
      while (!isOver()) {
        times.push(await usePasskey())
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
      return times
    }

    /** @returns how long all approvals took together. */
    async function approveAll(): Promise<number> {
      const pending: (() => Promise<unknown>)[] = []
      await forEachOf(accounts, 8, async (account) => {
        const challenge = randomBytes(16).toString('base64url')
        const { number } = await client.sessions.create(domainId, { user: account.user, challenge })
        const [request] = (await device.requests(account)).requests ?? []
        if (!request) throw new Error('no request to approve')
        pending.push(() => device.answer(account, request, { decision: 'approve', number, pin }))
      })
      const startTime = performance.now()
      await Promise.all(pending.map((approve) => approve()))
      return performance.now() - startTime
    }

    const alone: number[][] = []
    const beside: number[][] = []
    const all: number[] = []
    for (let round = -1; round < run.rounds; round++) {
      const until = performance.now() + (run.seconds * 1000) / 2
      const timesAlone = await usePasskeyUntil(() => performance.now() > until)
      let isDone = false
      const approving = approveAll().finally(() => (isDone = true))
      const timesBeside = await usePasskeyUntil(() => isDone)
      const time = await approving
      if (round < 0) continue
      alone.push(timesAlone)
      beside.push(timesBeside)
      all.push(time)
    }
    await service.stop()
    const valuesOf = (rounds: readonly number[][]) => ({
      median: rounds.map((times) => median(times)),
      slowest: rounds.map((times) => percentile(times, 0.99)),
    })
    const slowest = percentile(beside.flat(), 0.99)
    return {
      lines: [
        { name: 'passkeys alone', ours: true, values: valuesOf(alone) },
        { name: `passkeys beside ${approvals} PINs`, ours: true, values: { all, ...valuesOf(beside) } },
      ],
      goals: [
        {
          figure: `${approvals} approvals with a PIN at once are done within`,
          value: median(all),
          reach: 3_000,
          atMost: true,
          unit: 'ms',
          rest: pinsRest,
        },
        {
          figure: '99 % of the sign-ins with a passkey beside them take at most',
          value: slowest,
          reach: 200,
          atMost: true,
          unit: 'ms',
          rest: pinsRest,
        },
      ],
      findings: [
        `${approvals} approvals with a PIN at once are done within ${figure(median(all))} ms. Meanwhile, 99 % of the sign-ins with a passkey take at most ${figure(slowest)} ms.`,
        'The service computes few of the slow hashes at a time, so that they leave room for signatures.',
      ],
    }
  },
}
