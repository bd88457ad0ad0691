import type { NotNull } from 'kysely'

import { isPending } from './pending.ts'
import { allRows, allValues } from './statement.ts'
import type { Slot } from './statement.ts'

/** What of a device's inbox changes whenever a request comes or goes; of all devices that are asked something. */
export const inboxMarks = allRows('inboxMarks', (db, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select((eb) => ['deviceId', eb.fn.countAll<number>().as('pending'), eb.fn.max<number>('sequence').as('newest')])
    .where(isPending(now))
    .where('deviceId', 'is not', null)
    .groupBy('deviceId')
    .$narrowType<{ deviceId: NotNull }>(),
)

export const devicesRevokedSince = allValues('devicesRevokedSince', (db, time: Slot<number>) =>
  db.selectFrom('device').select('id').where('revokedAt', '>=', time),
)
