import { KeyObject, randomBytes } from 'node:crypto'

import type { Client } from '../../src/client/client.ts'
import type { Clock } from '../../src/ground/clock.ts'
import { devicePaths } from '../../src/contract/device.ts'
import type { DeviceRequest } from '../../src/contract/device-answers.ts'
import type { Account } from '../../src/device/account.ts'
import { createDevice } from '../../src/device/device.ts'
import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { forEachOf } from '../../test/support/crowd/http-client.ts'
import { signCall } from '../../test/support/crowd/sign-call.ts'
import { createRestCaller } from './rest-caller.ts'
import type { RestCaller } from './rest-caller.ts'

/** A domain of a running service. */
export interface Place {
  readonly client: Client
  readonly domainId: string
}

/** The same, with its addresses for what is measured. */
interface MeasuredPlace extends Place {
  /** One for each node: each call goes to the next one, as behind a load balancer. */
  readonly urls: readonly [string, ...string[]]
  readonly apiKey: string
  /** Waits like an app until a session settles. Without it, the app reads the session after the answer. */
  readonly wait?: ((sessionId: string) => Promise<{ readonly state: string }>) | undefined
}

interface AskedSession {
  readonly id: string
  readonly state: string
  readonly number?: string
}

/** The seeds of new users, `codes-0`, `codes-1` and so on, who each have a hardware token. */
export async function addCodeUsers(
  { client, domainId }: Place,
  count: number,
  prefix = 'codes',
): Promise<readonly string[]> {
  const seeds = Array.from({ length: count }, () => randomBytes(20).toString('hex'))
  await forEachOf([...seeds.entries()], 8, async ([index, seed]) => {
    const username = `${prefix}-${index}`
    const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, id)
    const token = { serialNumber: username, type: 'TOTP6', timeStep: 30, seed } as const
    await client.hardware.assign(id, (await client.hardware.create(token)).id)
  })
  return seeds
}

/** The code that the hardware token shows, six digits. */
export const codeOf = (seed: string, now: number): string => codeAt({ seed, digits: 6 }, stepAt(now, 30))

/** A code of six digits that the hardware token shows in none of the steps that the service compares. */
export function wrongCodeOf(seed: string, now: number): string {
  const step = stepAt(now, 30)
  const shown = Array.from({ length: 41 }, (_, index) => codeAt({ seed, digits: 6 }, step - 20 + index))
  for (let candidate = now % 1_000_000; ; candidate = (candidate + 1) % 1_000_000) {
    const code = String(candidate).padStart(6, '0')
    if (!shown.includes(code)) return code
  }
}

/** Creates users who each have a device. @returns a complete push of one of them: create, read, approve, read and redeem. */
export async function addPushUsers(place: MeasuredPlace, clock: Clock, count: number) {
  const { client, domainId, urls, apiKey, wait } = place
  const device = createDevice({ clock, extractableKeys: true })
  const people: { readonly account: Account; readonly key: KeyObject }[] = []
  for (let index = 0; index < count; index++) {
    const username = `push-${index}`
    const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, id)
    const { code = '' } = await client.tokens.issue(domainId, id)
    const account = await device.activate(urls[0], code, { name: 'Benchmark' })
    people.push({ account, key: KeyObject.from(account.privateKey) })
  }
  const callers = urls.map((url) => createRestCaller(url, apiKey))
  let calls = 0
  const next = () => callers[calls++ % callers.length] as RestCaller
  const sessions = `/domains/${domainId}/sessions`
  // Never two requests of one user at once.
  const free = [...people]

  return async (): Promise<void> => {
    const person = free.pop()
    if (!person) throw new Error('more pushes at a time than there are users')
    const { id: sub, service: aud, user } = person.account
    const claims = { aud, sub, iat: clock.now() }
    const challenge = randomBytes(16).toString('base64url')
    const session = await next().post<AskedSession>(sessions, { user, challenge, numberMatching: true })

    const settled = wait?.(session.id)
    const inbox = devicePaths.requests
    const authorization = `Device ${signCall(person.key, { ...claims, htm: 'GET', path: inbox })}`
    const pending = await next().http.send({ method: 'GET', path: inbox, headers: { authorization } })
    if (pending.status !== 200) throw new Error(`the inbox was answered with ${pending.status} ${pending.text}`)
    const [request] = (JSON.parse(pending.text) as { requests: DeviceRequest[] }).requests
    if (!request) throw new Error('no request to approve')
    const { number } = session
    const path = devicePaths.answer(request.id)
    const content = { nonce: request.nonce, decision: 'approve', ...(number && { number }) }
    const body = signCall(person.key, { ...claims, ...content, htm: 'POST', path })
    const headers = { 'content-type': 'application/jose', 'content-length': String(body.length) }
    const answered = await next().http.send({ method: 'POST', path, headers, body })
    if (answered.status !== 200) throw new Error(`the approval was answered with ${answered.status} ${answered.text}`)

    const { state } = await (settled ?? next().get<AskedSession>(`${sessions}/${session.id}`))
    if (state !== 'approved') throw new Error(`the session is ${state}`)
    await next().post(`${sessions}/${session.id}/redeem`, { challenge })
    free.push(person)
  }
}
