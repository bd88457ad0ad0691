import { createHash } from 'node:crypto'

/** How the secret of a scanned code is stored. A fast hash is enough: nobody can try out 128 random bits. */
export const scanHashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')
