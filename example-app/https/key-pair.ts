import { z } from 'zod'

/** A certificate and its private key, both as PEM. */
export const KeyPair = z.object({ certificate: z.string(), key: z.string() })
export type KeyPair = z.infer<typeof KeyPair>

export const toDate = (seconds: number) => new Date(seconds * 1000)
