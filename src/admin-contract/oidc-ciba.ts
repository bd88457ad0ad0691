import { z } from 'zod'

/** How a client of kind `ciba` asks. */
export const CibaSettings = z.object({
  /** Whether the person can see a screen of the client while they are asked: then it shows the number that they type on their device. */
  showsNumber: z.boolean().default(false),
})
export type CibaSettings = z.output<typeof CibaSettings>
