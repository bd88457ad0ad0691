import { hash } from 'node:crypto'

/** The length of the part that names the user, base64url characters. It only tells users apart: a page proves nothing by it. */
const markLength = 8

/** Makes the token of forms: 128 random bits, and a mark of the user for whom the page was made. */
export function createPageToken(userKey: string, random: (size: number) => Uint8Array): string {
  const secret = Buffer.from(random(16)).toString('base64url')
  return `${secret}.${markOf(secret, userKey)}`
}

/**
 * Whether a page was made for another user: a tab that stayed open while somebody else signed in to the same browser. A request without
 * a token, or with one that is none of ours, says nothing about it.
 */
export function isOfOtherUser(token: unknown, userKey: string): boolean {
  const [, secret, mark] = (typeof token === 'string' && /^([\w-]{22})\.([\w-]+)$/.exec(token)) || []
  return secret !== undefined && mark !== markOf(secret, userKey)
}

const markOf = (secret: string, userKey: string): string =>
  hash('sha256', `${secret} ${userKey}`, 'base64url').slice(0, markLength)
