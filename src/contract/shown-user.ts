import { z } from 'zod'

/** The owner of an account as devices show it: the name where it says more than the username. */
export const ShownUser = z.object({ username: z.string(), name: z.string().optional() })
