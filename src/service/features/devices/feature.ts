import { historyRetention } from '../../../contract/device.ts'
import { changeSome, removal } from '../../engine/database/due.ts'
import { noReplacement } from './replacement-statements.ts'
import { expireMailedLinks, revokeTokens } from './token-statements.ts'
import type { Feature } from '../../engine/steps/feature.ts'

/** How long a revoked device that calls is told so, seconds. */
const revokedDevicesKept = 90 * 24 * 60 * 60

export const devices = {
  name: 'devices',
  tables: ['token', 'device', 'deviceCall', 'deviceMove', 'deviceHistory'],
  membershipEnds: [{ place: 1, run: (db, { userIds, domainId, now }) => revokeTokens(db, { userIds, domainId }, now) }],
  addressChanges: [{ place: 2, run: (db, { userIds, now }) => expireMailedLinks(db, userIds, now) }],
  removals: {
    expiredTokens: {
      place: 2,
      removeSome: removal('token', ['id'], (is, now) =>
        is.and([is('state', '=', 'pending'), is('codeExpiresAt', '<=', now)]),
      ),
    },
    expiredReplacements: {
      place: 3,
      removeSome: (db, now) =>
        changeSome(db, 'token', ['id'], (is) => is('replacementExpiresAt', '<=', now), noReplacement),
    },
    oldHistory: {
      place: 17,
      removeSome: removal('deviceHistory', ['sequence'], (is, now) => is('settledAt', '<=', now - historyRetention)),
    },
    oldCalls: {
      place: 20,
      removeSome: removal('deviceCall', ['deviceId', 'jti'], (is, now) => is('expiresAt', '<', now)),
    },
    oldMoves: {
      place: 21,
      removeSome: removal('deviceMove', ['deviceId'], (is, now) => is('expiresAt', '<=', now)),
    },
    revokedDevices: {
      place: 26,
      removeSome: removal('device', ['id'], (is, now) => is('revokedAt', '<', now - revokedDevicesKept)),
    },
  },
} as const satisfies Feature
