import { Secret, TOTP } from 'otpauth'

import { ApiError } from '../client/errors.ts'
import type { HardwareToken } from '../contract/hardware.ts'
import { keyUriNames } from '../ground/key-uri-names.ts'
import type { ConnectedService } from './service.ts'

/** A new secret of 160 bits (RFC 4226 section 4, R6), hexadecimal. @param random returns that many random bytes. */
export function newAppSecret(random: (size: number) => Uint8Array): string {
  return Buffer.from(random(20)).toString('hex')
}

/** The address that every authenticator app reads from a QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function keyUri({ issuer, account, seed }: { issuer: string; account: string; seed: string }): string {
  const names = keyUriNames({ issuer, account })
  return new TOTP({ ...names, secret: Secret.fromHex(seed), digits: 6, period: 30 }).toString()
}

/** The secret in groups of four, for typing. */
export function typedSecret(seed: string): string {
  return Secret.fromHex(seed).base32.replace(/(.{4})(?=.)/g, '$1 ')
}

export type AppOutcome =
  | { readonly kind: 'added'; readonly app: HardwareToken }
  | { readonly kind: 'wrong_code' }
  /** It had to be the first factor and was not, or another factor was added since the user loaded the page. */
  | { readonly kind: 'too_late' }

/** Stores the app if its code is correct. The code is then used up, so an onlooker cannot sign in with it. */
export async function addApp(
  { client, domainId }: ConnectedService,
  userId: string,
  enrolling: {
    seed: string
    code: string
    first: boolean
    replaces?: string | undefined
    pass?: string | undefined
    epoch?: string | undefined
  },
): Promise<AppOutcome> {
  const { seed, code, first, replaces, pass, epoch } = enrolling
  try {
    const app = await client.hardware.enroll(domainId, userId, {
      type: 'TOTP6',
      timeStep: 30,
      seed,
      otp: code,
      first,
      ...(replaces === undefined ? {} : { replaces, epoch }),
      ...(pass === undefined ? {} : { pass }),
    })
    return { kind: 'added', app }
  } catch (error) {
    const outcome = error instanceof ApiError ? outcomes[error.code] : undefined
    if (outcome === undefined) throw error
    return outcome
  }
}

const outcomes: Partial<Record<string, AppOutcome>> = {
  'api.error.invalid.otp': { kind: 'wrong_code' },
  'api.error.conflict.enrolled': { kind: 'too_late' },
  'api.error.conflict.hardware': { kind: 'too_late' },
  // An administrator has issued an activation code in the meantime.
  'api.error.conflict.state': { kind: 'too_late' },
}
