import type { IncomingMessage } from 'node:http'

import express from 'express'
import { z } from 'zod'

import { parseIpAddress } from '../../contract/ip-address.ts'

/** Whose word is taken for where a request comes from: so many proxies, or those in these networks. */
export const TrustProxy = z
  .union([z.int().min(0).max(100), z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' && /^\d{1,2}$/.test(given.trim()) ? Number(given) : given))
  .refine((given) => typeof given === 'number' || networksOf(given).every(isNetwork), {
    message: 'must be how many proxies there are, such as 1, or their networks, such as loopback,10.0.0.0/8,fd00::/8',
  })
  .transform((given) => (typeof given === 'number' ? given : networksOf(given)))
export type TrustProxy = z.output<typeof TrustProxy>

/** The names that Express has for networks. */
const namedNetworks: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

const networksOf = (given: string | readonly string[]): string[] =>
  [given].flat().flatMap((text) => text.split(',').map((network) => network.trim()))

function isNetwork(network: string): boolean {
  if (namedNetworks.has(network)) return true
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? []
  // What is read leniently elsewhere has to be exact here.
  if (!z.union([z.ipv4(), z.ipv6()]).safeParse(address).success) return false
  return prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= (address.includes(':') ? 128 : 32))
}

/** Where a request comes from; undefined where that is not known. */
export type ReadAddress = (req: IncomingMessage) => string | undefined

/**
 * Inside an Express app its own `trust proxy` decides, by `req.ip`. Elsewhere `X-Forwarded-For` is read from its end, as far
 * as those who wrote it are trusted; what anybody else says is ignored.
 *
 * @param trusted Nobody where it is left out.
 */
export function createReadAddress(trusted: TrustProxy = 0): ReadAddress {
  const trusts = trustOf(trusted)
  return (req) => {
    const address = ipOf(req) ?? forwardedAddress(req, trusts)
    return address === undefined ? undefined : parseIpAddress(address)
  }
}

const ipOf = (req: IncomingMessage & { readonly ip?: string | undefined }): string | undefined => req.ip

type Trusts = (address: string, hop: number) => boolean

/** As Express itself would decide, and as express-session asks it. */
function trustOf(trusted: TrustProxy): Trusts {
  const app = express()
  app.set('trust proxy', trusted)
  return app.get('trust proxy fn') as Trusts
}

function forwardedAddress(req: IncomingMessage, trusts: Trusts): string | undefined {
  const said = [req.headers['x-forwarded-for'] ?? ''].flat().join(',')
  const hops = said
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  let address = req.socket.remoteAddress
  for (let hop = 0; address !== undefined && hops.length > 0; hop += 1) {
    // A proxy that adds the port of its caller is the same proxy.
    if (!trusts(parseIpAddress(address) ?? address, hop)) break
    address = hops.pop()
  }
  return address
}
