import { ApiError } from '../client/errors.ts'
import type { Passkey, PasskeyAnswer, RegisteredPasskey } from '../contract/passkeys.ts'
import type { RelyingParty } from '../contract/relying-party.ts'
import type { PassedBrowser, RedeemedSession } from '../contract/sessions.ts'
import type { User } from '../contract/users.ts'
import type { Factor } from '../contract/factor.ts'
import { withSession } from './challenge.ts'
import type { Challenge } from './challenge.ts'
import { cancel, describe } from './push.ts'
import type { Sender } from './push.ts'
import { secondsToWait, unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'

/** Options for a ceremony of the browser; `busy` if too many were started lately; undefined if there is no passkey. */
export type CeremonyOptions = object | 'busy' | undefined

/** Whether the user has a passkey for the app that passes this challenge. @param rpId Undefined where browsers use none. */
export function hasPasskey(member: User | undefined, rpId: string | undefined, allowed: readonly Factor[]): boolean {
  return rpId !== undefined && allowed.includes('passkey') && member?.passkeys?.includes(rpId) === true
}

/** The options that the browser needs to use a passkey for this challenge. */
export async function startPasskey(
  { client, domainId }: ConnectedService,
  userId: string,
  { challenge, rp, browser }: { challenge: Challenge; rp: RelyingParty; browser: string | undefined },
): Promise<CeremonyOptions> {
  const purpose = purposeOf(challenge)
  const started = client.passkeys.startAuthentication(domainId, userId, {
    rp: { id: rp.id, origins: rp.origins },
    challenge: challenge.id,
    ...(purpose === undefined ? {} : { purpose }),
    browser,
  })
  return unlessBusy(unlessRejected(started, 'api.error.notfound.passkey'))
}

/** The challenge after a right answer, which can be redeemed. */
export type PasskeyOutcome =
  | { readonly challenge: Challenge; readonly redeemed: RedeemedSession | undefined }
  | { readonly challenge?: never }

/** Has the service check the answer of a passkey; a right one cancels the request on the device. */
export async function tryPasskey(
  service: ConnectedService,
  challenge: Challenge,
  sender: Sender,
  { response, browser, now }: { response: PasskeyAnswer; browser: PassedBrowser; now: number },
): Promise<PasskeyOutcome> {
  const created = service.client.sessions.create(service.domainId, {
    ...describe(challenge, sender),
    passkey: response,
    redeem: { browser },
  })
  // A malformed answer is a wrong one. It says nothing about the service.
  const session = await unlessRejected(created, 'api.error.invalid.passkey')
  if (session?.state !== 'approved') return {}
  await cancel(service, challenge)
  return {
    challenge: { ...withSession(challenge, session, now), givenFactor: 'passkey' },
    redeemed: session,
  }
}

const purposeOf = ({ purpose }: Challenge) => (purpose === 'change_devices' ? purpose : undefined)

/** The options that the browser needs to create a passkey. */
export function startNewPasskey(
  { client, domainId }: ConnectedService,
  userId: string,
  options: Parameters<ConnectedService['client']['passkeys']['startRegistration']>[2],
): Promise<CeremonyOptions> {
  return unlessBusy(client.passkeys.startRegistration(domainId, userId, options))
}

/**
 * Why a passkey was not added: its answer was wrong; it exists already; there are as many as possible; the user has had a
 * factor by now.
 */
export type PasskeyRejection = 'wrong' | 'present' | 'full' | 'too_late'

/** Stores a passkey that the browser has made. */
export async function storePasskey(
  { client, domainId }: ConnectedService,
  userId: string,
  passkey: RegisteredPasskey,
): Promise<{ readonly passkey: Passkey } | { readonly rejection: PasskeyRejection }> {
  try {
    return { passkey: await client.passkeys.register(domainId, userId, passkey) }
  } catch (error) {
    const rejection = error instanceof ApiError ? rejections[error.code] : undefined
    if (rejection === undefined) throw error
    return { rejection }
  }
}

const rejections: Readonly<Record<string, PasskeyRejection>> = {
  'api.error.invalid.response': 'wrong',
  'api.error.conflict.state': 'wrong',
  'api.error.conflict.passkey': 'present',
  'api.error.limit.passkeys': 'full',
  'api.error.conflict.enrolled': 'too_late',
}

async function unlessBusy<T>(call: Promise<T>): Promise<T | 'busy'> {
  try {
    return await call
  } catch (error) {
    if (secondsToWait(error) === undefined) throw error
    return 'busy'
  }
}
