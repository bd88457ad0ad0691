import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import type { RelyingParty } from '../../../contract/relying-party.ts'
import type { SessionPurpose } from '../../../contract/sessions.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import type { Budget } from '../../../contract/known-browser.ts'
import { ceremonyLimit, readClientData } from './rules.ts'
import type { ClientData } from './rules.ts'
import { takeAttempt } from '../../engine/limits/attempts.ts'
import { hashOfChallenge, insertCeremony } from './ceremony-statements.ts'
import type { CeremonyRow } from './ceremony-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/** A ceremony that begins. */
interface NewCeremony {
  readonly domainId: string
  readonly userId: string
  readonly kind: CeremonyRow['kind']
  readonly rp: RelyingParty
  /** The caller's, which has to come back with the answer. */
  readonly challenge: string
  /** Null for a registration. */
  readonly purpose: SessionPurpose | null
  readonly budget: Budget
}

/**
 * Begins a ceremony. In a transaction that has locked the user, so that no two count at once.
 * @returns the challenge that the authenticator signs, base64url.
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function beginCeremony(caller: Caller, db: Queryable, ceremony: NewCeremony): Promise<string> {
  const { rp, budget, ...row } = ceremony
  const now = caller.clock.now()
  const scope = `passkey ${budget === 'known' ? 'known ' : ''}${ceremony.userId}`
  const wait = await takeAttempt(db, [{ scope, ...ceremonyLimit }], now)
  if (wait > 0) throw tooManyRequests({ limit: limitWords, wait, now })
  const webauthnChallenge = Buffer.from(caller.random(32)).toString('base64url')
  await insertCeremony(db, {
    ...row,
    challengeHash: hashOfChallenge(webauthnChallenge),
    rpId: rp.id,
    origins: JSON.stringify(rp.origins),
    expiresAt: now + ceremonyLifetime,
  })
  return webauthnChallenge
}

const limitWords = `at most ${ceremonyLimit.limit} passkey ceremonies in 10 minutes for each user`

/** The ceremony that an answer names, and what is known of it. */
export interface NamedCeremony {
  readonly clientData: ClientData
  readonly challengeHash: string
}

/** @returns undefined for an answer that is malformed. */
export function namedCeremony(clientDataJSON: string): NamedCeremony | undefined {
  const clientData = readClientData(clientDataJSON)
  return clientData && { clientData, challengeHash: hashOfChallenge(clientData.challenge) }
}

/** The values that the answer to a ceremony must have. Tells the operator of the app about an origin that it did not name. */
export function expectedOf(
  { logger, logLimit }: Caller,
  { clientData }: NamedCeremony,
  row: Pick<CeremonyRow, 'rpId' | 'domainId' | 'origins'>,
) {
  const { rpId, domainId } = row
  const origins = JSON.parse(row.origins) as string[]
  // The origin itself comes from a browser, and stays out of the log.
  if (!origins.some((origin) => origin === clientData.origin) && logLimit.admits(`passkey origin ${domainId}`)) {
    logger.warn(
      { domain: domainId, rpId, origins },
      'a passkey was refused: its page is on none of the origins of the app',
    )
  }
  return { webauthnChallenge: clientData.challenge, rpId, origins }
}
