import { hash } from 'node:crypto'

import type { Random } from './random.ts'

/** 256 random bits, base64url: what the console’s cookie, an invitation and the link of a mail hold. The database holds the hash. */
export const newSecret = (random: Random): string => Buffer.from(random(32)).toString('base64url')

/** A plain hash, which is enough for 256 random bits. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')
