import { randomBytes } from 'node:crypto'

import { pause, systemClock } from '../../src/ground/clock.ts'
import type { Device, Account } from '../../src/device/index.ts'
import { newUser } from '../service/start-service.ts'
import type { createCall } from '../service/start-service.ts'

/** What the service was asked for, and what it acknowledged, while processes were killed. */
export interface Books {
  /** Adds users, types codes and approves requests, until it is aborted. */
  readonly work: (signal: AbortSignal) => Promise<void>
  /** How much was acknowledged so far. */
  readonly acknowledged: () => number
  /** Resolves when so much more was acknowledged, a code and an approval among it. */
  readonly more: (count: number) => Promise<void>
  /** Acknowledged writes that are missing, and codes and approvals that were accepted twice: a sentence for each. */
  readonly audit: () => Promise<readonly string[]>
}

export interface Holder {
  readonly id: string
  readonly account: Account
}

type Call = ReturnType<typeof createCall>

export interface BooksOptions {
  readonly call: Call
  /** Each code and each approval is sent to all of these at once. By default, twice to `call`. */
  readonly attempts?: readonly Call[]
  readonly device: Device
  readonly domainId: string
  /** They take turns: a request that was never answered counts against its user. */
  readonly people: readonly Holder[]
}

export function openBooks({ call, attempts = [call, call], device, domainId, people }: BooksOptions): Books {
  const users: string[] = []
  const approvals: string[] = []
  const redemptions = new Map<string, { readonly challenge: string; count: number }>()
  const codes = new Map<string, { readonly user: string; count: number }>()
  const sessions = `/domains/${domainId}/sessions`
  const acknowledged = { users: 0, codes: 0, approvals: 0 }
  let noted = () => {}
  const note = (kind: keyof typeof acknowledged) => {
    acknowledged[kind] += 1
    noted()
  }

  async function addUser(): Promise<void> {
    const { status, json } = await call('POST', '/users', { body: newUser(randomBytes(9).toString('hex')) })
    if (status !== 200) return
    users.push(json.id)
    note('users')
  }

  /** Twice at once, as when an attacker has seen it over the user's shoulder. */
  async function typeCode(person: Holder): Promise<void> {
    const created = await call('POST', `/users/${person.id}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 0 },
    })
    if (created.status !== 200) return
    const entry = { user: person.id, count: 0 }
    codes.set(created.json.code, entry)
    await Promise.all(attempts.map((attempt) => tryCode(attempt, created.json.code, entry)))
    note('codes')
  }

  async function tryCode(
    attempt: Call,
    bypasscode: string,
    entry: { readonly user: string; count: number },
  ): Promise<void> {
    const { json } = await attempt('POST', sessions, { body: { user: { id: entry.user }, bypasscode } })
    if (json?.state === 'approved') entry.count += 1
  }

  async function approve({ id, account }: Holder): Promise<void> {
    const challenge = randomBytes(16).toString('base64url')
    const created = await call('POST', sessions, { body: { user: { id }, challenge } })
    if (created.status !== 200) return
    const request = (await device.requests(account)).requests?.find((candidate) => candidate.id === created.json.id)
    if (!request) return
    await device.answer(account, request, { decision: 'approve' })
    approvals.push(request.id)
    redemptions.set(request.id, { challenge, count: 0 })
    await Promise.all(attempts.map((attempt) => redeem(attempt, request.id)))
    note('approvals')
  }

  async function redeem(attempt: Call, id: string): Promise<void> {
    const entry = redemptions.get(id)
    if (!entry) return
    const { status } = await attempt('POST', `${sessions}/${id}/redeem`, { body: { challenge: entry.challenge } })
    if (status === 200) entry.count += 1
  }

  async function repeat(signal: AbortSignal, act: (person: Holder) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      // Whatever breaks off was not acknowledged.
      await act(take()).catch(() => pause(systemClock, 20))
    }
  }

  let turn = 0
  const take = (): Holder => {
    turn += 1
    const person = people[turn % people.length]
    if (!person) throw new Error('nobody is there to sign in')
    return person
  }

  return {
    async work(signal) {
      await Promise.all([repeat(signal, addUser), repeat(signal, typeCode), repeat(signal, approve)])
    },
    acknowledged: () => acknowledged.users + acknowledged.codes + acknowledged.approvals,
    async more(count) {
      const { codes: codesBefore, approvals: approvalsBefore } = acknowledged
      const few = () => acknowledged.codes === codesBefore || acknowledged.approvals === approvalsBefore
      for (let remaining = count; remaining > 0 || few(); remaining -= 1) {
        await new Promise<void>((resolve) => void (noted = resolve))
      }
    },
    async audit() {
      const problems: string[] = []
      for (const id of users.splice(0)) {
        const { status } = await call('GET', `/users/${id}`)
        if (status !== 200) problems.push(`the user ${id} was added and is not there: ${status}`)
      }
      for (const id of approvals.splice(0)) {
        const { json } = await call('GET', `${sessions}/${id}`)
        if (json.state !== 'approved') problems.push(`the approval of ${id} was acknowledged, and it is ${json.state}`)
      }
      for (const [id, entry] of redemptions) {
        await redeem(call, id)
        if (entry.count > 1) problems.push(`the approval of ${id} was redeemed ${entry.count} times`)
      }
      redemptions.clear()
      for (const [code, entry] of codes) {
        await tryCode(call, code, entry)
        if (entry.count > 1) problems.push(`a code was accepted ${entry.count} times`)
      }
      codes.clear()
      return problems
    },
  }
}
