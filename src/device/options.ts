import { z } from 'zod'

import { type Clock, systemClock } from '../clock.ts'

/** Bytes nobody can foresee. */
export type Random = (length: number) => Uint8Array<ArrayBuffer>

const secureRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length))

// Not `fetch` itself: taken off its global it refuses to run in a browser.
const platformFetch: typeof fetch = (input, init) => fetch(input, init)

const isFunction = (value: unknown) => typeof value === 'function'

export const DeviceOptions = z
  .strictObject({
    fetch: z.custom<typeof fetch>(isFunction, 'fetch must be a function').default(() => platformFetch),
    clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).default(() => systemClock),
    random: z.custom<Random>(isFunction, 'random must be a function').default(() => secureRandom),
    /** How long a call may take, milliseconds; held calls get this on top of their wait. */
    timeout: z.number().positive().default(10_000),
    /** Lets private keys be exported and saved. A browser keeps keys as they are: leave it off there. */
    extractableKeys: z.boolean().default(false),
  })
  .readonly()
export type DeviceOptions = z.input<typeof DeviceOptions>

/** What every function of the device core works with. */
export type DeviceContext = z.output<typeof DeviceOptions>
