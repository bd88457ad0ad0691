import { z } from 'zod'

/**
 * How a user can pass the second step; `otp` is a hardware token, an authenticator app or the device's offline code. In the
 * order in which they are offered.
 */
export const Factor = z.enum(['passkey', 'push', 'otp', 'email', 'bypass'])

export type Factor = z.infer<typeof Factor>
