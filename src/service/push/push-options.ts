import { Agent } from 'node:https'

import { z } from 'zod'

import { knownPushHosts } from './accepted-endpoint.ts'

/** Names without a port; `*.` before one stands for anything that ends with it. */
const Host = z
  .string()
  .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a name such as push.example or *.push.example')

/** Apple takes no message without a subject whose host there is (`.invalid` or `localhost` will not do); this is nobody's. */
export const nobodyToAsk = 'https://example.com'

export const PushOptions = z.strictObject({
  /** Whom push services can ask about the messages: `mailto:you@mfa.example`, or a page. Say it where people rely on them. */
  subject: z.url({ protocol: /^(https|mailto)$/, error: 'must begin with https: or mailto:' }).default(nobodyToAsk),
  /** The push services that messages are sent to, instead of those of the known browsers. */
  hosts: z
    .array(Host)
    .min(1)
    .default([...knownPushHosts]),
  /**
   * Makes the connections instead of the service itself, for a way out through a proxy, say. Ours connects to public
   * addresses only; with another one, what it reaches is its own affair.
   */
  agent: z.instanceof(Agent, { error: 'must be an Agent of node:https' }).optional(),
})
export type PushOptions = z.output<typeof PushOptions>
