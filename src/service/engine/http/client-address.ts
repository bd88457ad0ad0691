import type { IncomingMessage } from 'node:http'

import { parseIpAddress } from '../../../contract/ip-address.ts'
import type { ReadAddress } from '../context/service-context.ts'
import { remember } from '../base/remember.ts'
import type { TrustProxy } from './trust-proxy.ts'
import { loadExpress } from './load-express.ts'

/**
 * Inside an Express app, the app's `trust proxy` decides, by `req.ip`. Elsewhere `X-Forwarded-For` is read from its end, as
 * long as its authors are trusted proxies; the rest is ignored.
 *
 * @param trusted Trusted proxies; none by default.
 */
export function createReadAddress(trusted: TrustProxy = 0): ReadAddress {
  const trusts = trustOf(trusted)
  const parse = remember(parseIpAddress)
  return (req) => {
    const address = ipOf(req) ?? forwardedAddress(req, trusts)
    return address === undefined ? undefined : parse(address)
  }
}

const ipOf = (req: IncomingMessage & { readonly ip?: string | undefined }): string | undefined => req.ip

type Trusts = (address: string, hop: number) => boolean

/** Uses Express's own rules, as express-session does. */
function trustOf(trusted: TrustProxy): Trusts {
  if (trusted === 0) return () => false
  const app = loadExpress()()
  app.set('trust proxy', trusted)
  return app.get('trust proxy fn') as Trusts
}

function forwardedAddress(req: IncomingMessage, trusts: Trusts): string | undefined {
  const forwarded = req.headers['x-forwarded-for']
  if (forwarded === undefined) return req.socket.remoteAddress
  const hops = [forwarded]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  let address = req.socket.remoteAddress
  for (let hop = 0; address !== undefined && hops.length > 0; hop += 1) {
    // The same proxy, even if it adds the port of its caller.
    if (!trusts(parseIpAddress(address) ?? address, hop)) break
    address = hops.pop()
  }
  return address
}
