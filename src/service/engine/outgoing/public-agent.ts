import { lookup as systemLookup } from 'node:dns'
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { Agent } from 'node:https'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'

import { isPublicAddress } from './public-address.ts'

type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Connections to each host. */
const maxSockets = 32

/** An agent that connects to public addresses only, whatever a name resolves to. */
export function createPublicAgent(lookup: LookupAll = systemLookup): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets, lookup: onlyPublic(lookup) })
  const connect: Connect = agent.createConnection.bind(agent)
  const connectPublic: Connect = (options, done) => {
    // Node looks up names only.
    if (isIP(options.host ?? '') === 0 || isPublicAddress(options.host ?? '')) return connect(options, done)
    process.nextTick(() => done?.(notPublic(), undefined as never))
    return undefined
  }
  return Object.assign(agent, { createConnection: connectPublic })
}

type Connect = Agent['createConnection']

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

const notPublic = () => new Error('The host must have a public address.')
