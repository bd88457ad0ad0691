import { randomBytes } from 'node:crypto'

import * as OTPAuth from 'otpauth'

import type { ImportedUser } from '../../../../src/contract/factor-import.ts'

/** An app that another system made, and the codes that it shows, by another implementation. */
export function appOfElsewhere(more: Partial<ImportedUser['app']> = {}) {
  const app = { seed: randomBytes(20).toString('hex'), algorithm: 'SHA1', digits: 6, period: 30, ...more } as const
  const { seed, ...parameters } = app
  const totp = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromHex(seed), ...parameters })
  return {
    app,
    /** @param seconds Unix time. */
    codeAt: (seconds: number) => totp.generate({ timestamp: seconds * 1000 }),
  }
}
