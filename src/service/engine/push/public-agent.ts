import { lookup as systemLookup } from 'node:dns'
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { Agent } from 'node:https'
import type { LookupFunction } from 'node:net'

import { isPublicAddress } from './public-address.ts'

type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Connections to each push service. */
const maxSockets = 32

/** An agent that connects to public addresses only, whatever a name resolves to. */
export function createPublicAgent(lookup: LookupAll = systemLookup): Agent {
  return new Agent({ keepAlive: true, maxSockets, lookup: onlyPublic(lookup) })
}

/** Checks the same addresses that the connection then uses: a second lookup could return different ones. */
function onlyPublic(lookup: LookupAll): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) return done(notPublic(), '')
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family)
    })
  }
}

const notPublic = () => new Error('A push service must have a public address.')
