import { hash } from 'node:crypto'

/** How the secret of a scanned code is stored. A fast hash is enough: 128 random bits cannot be guessed. */
export const scanHashOf = (secret: string): string => hash('sha256', secret, 'base64url')
