import { generateKeyPairSync, hash, sign } from 'node:crypto'

import { browserProofText } from '../../src/contract/browser-key.ts'

export const appOrigin = 'https://app.example'

/** The key of a browser, as the page of the app has it. */
export function createBrowserKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return {
    publicKey: point.toString('base64url'),
    /** @param page The origin whose page signs. */
    proof(challenge: string, page = appOrigin, named = page) {
      const text = browserProofText(hash('sha256', challenge, 'base64url'), page)
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
      return { origin: named, signature: sign('sha256', Buffer.from(text), key).toString('base64url') }
    },
  }
}
