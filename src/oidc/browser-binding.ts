import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { isSameText } from '../ground/same-text.ts'
import { hostCookie } from './cookie-names.ts'

/** A request of which one browser alone may open the page and return from it. */
interface Bound {
  readonly uid: string
  /** How long the request lives, seconds. */
  readonly seconds: number
}

/**
 * Ties each request to the browser that has brought it, by a cookie that no other host can set: sibling hosts can plant the cookies of
 * oidc-provider, whose paths are narrower than a `__Host-` cookie may have. Then somebody else would pass for whoever has begun.
 */
export interface BrowserBinding {
  /** Sets the cookie. */
  bind(req: IncomingMessage, res: ServerResponse, bound: Bound): void
  isBound(req: IncomingMessage, uid: string): boolean
  /** Removes the cookie. */
  release(res: ServerResponse, uid: string): void
}

/** How many requests a browser keeps open, so that its header cannot grow. */
const maxOpen = 10

/** @param keys The keys of cookies, the newest first. The array changes with a rotation. */
export function createBrowserBinding(issuer: string, keys: readonly string[]): BrowserBinding {
  const secure = issuer.startsWith('https:')
  const start = hostCookie(issuer, 'browser-')
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  const nameOf = (uid: string) => start + createHash('sha256').update(uid).digest('base64url').slice(0, 16)
  const remove = (res: ServerResponse, name: string) =>
    res.appendHeader('Set-Cookie', `${name}=; ${attributes}; Max-Age=0`)
  return {
    bind(req, res, { uid, seconds }) {
      // Browsers send the oldest first.
      const open = cookiesOf(req).filter(([name]) => name.startsWith(start))
      for (const [name] of open.slice(0, Math.max(0, open.length - maxOpen + 1))) remove(res, name)
      const value = signatureOf(keys[0] ?? '', uid)
      res.appendHeader('Set-Cookie', `${nameOf(uid)}=${value}; ${attributes}; Max-Age=${seconds}`)
    },
    isBound(req, uid) {
      const value = cookiesOf(req).find(([name]) => name === nameOf(uid))?.[1] ?? ''
      return keys.some((key) => isSameText(value, signatureOf(key, uid)))
    },
    release: (res, uid) => void remove(res, nameOf(uid)),
  }
}

const signatureOf = (key: string, uid: string): string =>
  createHmac('sha256', key).update(`browser of ${uid}`).digest('base64url')

const cookiesOf = ({ headers }: IncomingMessage): (readonly [string, string])[] =>
  (headers.cookie ?? '').split(/; ?/).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')]
  })
