import { Agent } from 'node:https'

import { z } from 'zod'

import { knownPushHosts } from './accepted-endpoint.ts'

/** Host names without a port; `*.` before a name includes everything that ends with it. */
const Host = z
  .string()
  .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a name such as push.example or *.push.example')

/** Apple accepts no message without a subject, and `.invalid` or `localhost` is not enough; this is a placeholder. */
export const defaultVapidSubject = 'https://example.com'

/** Options of push messages, which wake devices. */
export interface PushOptions {
  /**
   * The contact for push services that have a question about the messages: `mailto:you@mfa.example`, or a page.
   * @default `'https://example.com'`, which belongs to no one
   */
  subject?: string | undefined
  /**
   * The push services that messages are sent to; `*.` before a name matches all names that end with it.
   * @default those of the known browsers
   */
  hosts?: string[] | undefined
  /**
   * Makes the connections, for example through a proxy. Your own agent has to restrict addresses itself.
   * @default an agent that connects to public addresses only
   */
  agent?: Agent | undefined
}

export const PushOptions = z.strictObject({
  subject: z
    .url({ protocol: /^(https|mailto)$/, error: 'must begin with https: or mailto:' })
    .default(defaultVapidSubject),
  hosts: z
    .array(Host)
    .min(1)
    .default([...knownPushHosts]),
  agent: z.instanceof(Agent, { error: 'must be an Agent of node:https' }).optional(),
})
export type ResolvedPushOptions = Readonly<z.output<typeof PushOptions>>
