import { z } from 'zod'

/** A certificate and its private key, both as PEM. */
export const KeyPair = z.object({ certificate: z.string(), key: z.string() })
export type KeyPair = z.infer<typeof KeyPair>

/** For who generates it: elliptic curves are small and quick, and every phone knows this one. */
export const kind = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const

export const toDate = (seconds: number) => new Date(seconds * 1000)
