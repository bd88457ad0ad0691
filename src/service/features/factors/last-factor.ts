import { ApiProblem } from '../../engine/base/problem.ts'
import { hardwareTokenOfUser, tokenOf, passkeysOfUser } from './possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/** The factors that a user signs in with every day, in one app. Recovery codes and e-mail do not replace them. */
export interface EverydayFactors {
  readonly device: boolean
  readonly hardware: boolean
  /** Ids of the passkeys for the relying party of the app; none where it is not known. */
  readonly passkeys: readonly string[]
}

/** A user in a domain, and the relying party of the app in which the user asks. */
interface FactorOwner {
  readonly domainId: string
  readonly userId: string
  readonly rpId: string | undefined
}

/** Call it in a transaction that has locked the user: no two factors are given up at once. */
export async function everydayFactors(
  db: Queryable,
  { domainId, userId, rpId }: FactorOwner,
): Promise<EverydayFactors> {
  const passkeys = rpId === undefined ? [] : await passkeysOfUser(db, userId)
  return {
    device: (await tokenOf(db, domainId, userId))?.state === 'active',
    hardware: (await hardwareTokenOfUser(db, userId)) !== undefined,
    passkeys: passkeys.filter((passkey) => passkey.rpId === rpId).map(({ id }) => id),
  }
}

/**
 * Users never give up the last factor that they sign in with.
 * @param givenUp The device, the hardware token, or the passkey of this id.
 * @throws {ApiProblem} `api.error.conflict.state`
 */
export async function requireAnotherFactor(
  db: Queryable,
  owner: FactorOwner,
  givenUp: 'device' | 'hardware' | { readonly passkey: string },
): Promise<void> {
  const { device, hardware, passkeys } = await everydayFactors(db, owner)
  const remainingFactors = [
    device && givenUp !== 'device',
    hardware && givenUp !== 'hardware',
    passkeys.some((id) => typeof givenUp === 'string' || id !== givenUp.passkey),
  ]
  if (!remainingFactors.includes(true)) throw new ApiProblem('api.error.conflict.state')
}
