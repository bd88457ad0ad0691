/**
 * The service over REST, of the checkout in the first argument, on the database in the second. The third one is the secret that
 * devices ask for: none by default. `POST /bench/clock` moves its
 * clock by 30 seconds, so that each user has a new code.
 */
import { join } from 'node:path'

import type { KeyType } from '../../src/contract/pin.ts'
import type { createService } from '../../src/service/service.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import { listen, ready } from './listen.ts'
import { keys, prepareDomain } from './prepare.ts'
import type { ServiceGiven } from './prepare.ts'

const [checkout = '', database = '', keyType = 'NONE'] = process.argv.slice(2)
const module = (await import(join(checkout, 'src/service/service.ts'))) as { createService: typeof createService }

/** A machine that is busy with other work must not end a measurement. `EARLY_REJECTIONS` keeps the limits of production. */
const overload = process.env['EARLY_REJECTIONS'] ? {} : { concurrentRequests: 1e6, responseTime: 1e6 }
/** The whole load comes from one address, with one key. */
const limits = { triesPerAddress: 1e6, triesPerService: 1e6, requestsPerSecond: 1e6, heldReadsPerKey: 1e6, ...overload }
const clock = createMovedClock()
const service = await module.createService({ database, keys, limits, clock })
const { url, close } = await listen((req, res) => {
  if (req.url !== '/bench/clock') return service.listener(req, res)
  clock.move(30)
  res.end(String(clock.now()))
})
const { domainId, apiKey } = await prepareDomain(service, keyType as KeyType)
ready({ url: url.replace('127.0.0.1', 'localhost'), apiKey, domainId, database } satisfies ServiceGiven, () => {
  close()
  return service.close()
})
