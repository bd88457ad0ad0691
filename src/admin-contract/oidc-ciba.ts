import { z } from 'zod'

import { isNotificationEndpoint, longestAddress } from './oidc-addresses.ts'

/** How a client of kind `ciba` asks. */
export const CibaSettings = z.object({
  /** Whether the person can see a screen of the client while they are asked: then it shows the number that they type on their device. */
  showsNumber: z.boolean().default(false),
  /**
   * Where the client is told that the person has answered (delivery by ping, CIBA Core 1.0 section 10.2); null for one that only asks. An
   * https address by name; what the name resolves to has to be public.
   */
  notificationEndpoint: z
    .string()
    .max(longestAddress)
    .refine(isNotificationEndpoint, 'expected an https address with the name of a host, and without a fragment')
    .nullable()
    .default(null),
})
export type CibaSettings = z.output<typeof CibaSettings>
