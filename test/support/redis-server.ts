import { onTestFinished } from 'vitest'

import { listenAsRedis } from './redis-stand-in.ts'
import type { RedisStandIn } from './redis-stand-in.ts'

/** A stand-in for Redis, until the test is over. */
export async function startRedis(): Promise<RedisStandIn> {
  const redis = await listenAsRedis()
  onTestFinished(redis.close)
  return redis
}
