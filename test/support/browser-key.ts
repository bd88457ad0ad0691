import { generateKeyPairSync, hash, sign } from 'node:crypto'

import { browserProofText } from '../../src/contract/browser-proof-text.ts'

export const appOrigin = 'https://app.example'

/** The key of a browser, as the page of the app has it. */
export function createBrowserKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return {
    publicKey: point.toString('base64url'),
    /** @param page The origin whose page signs. */
    proof: (challenge: string, page = appOrigin, origin = page) => ({
      origin,
      signature: signature(hash('sha256', challenge, 'base64url'), page),
    }),
    signature,
  }

  /** @param proof What the page shows of the challenge. */
  function signature(proof: string, page: string): string {
    const text = browserProofText(proof, page)
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
    return sign('sha256', Buffer.from(text), key).toString('base64url')
  }
}
