import { z } from 'zod'

import { type Clock, systemClock } from '../ground/clock.ts'

/** Returns cryptographically secure random bytes. */
export type Random = (length: number) => Uint8Array<ArrayBuffer>

const secureRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length))

// Not `fetch` itself: browsers reject a call with another `this`.
const platformFetch: typeof fetch = (input, init) => fetch(input, init)

const isFunction = (value: unknown) => typeof value === 'function'

export const DeviceOptions = z
  .strictObject({
    fetch: z.custom<typeof fetch>(isFunction, 'fetch must be a function').default(() => platformFetch),
    clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(() => systemClock),
    random: z.custom<Random>(isFunction, 'random must be a function').default(() => secureRandom),
    /** How long a call may take, milliseconds. The time that a call is held comes on top. */
    timeout: z.number().positive().default(10_000),
    /** Makes private keys exportable, to save them in files. Leave it off in a browser, which stores keys as they are. */
    extractableKeys: z.boolean().default(false),
  })
  .readonly()
export type DeviceOptions = z.input<typeof DeviceOptions>

/** The options of every function of the device core, with their defaults. */
export type DeviceContext = z.output<typeof DeviceOptions>
