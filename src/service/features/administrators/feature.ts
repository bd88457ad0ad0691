import { sessionLifetime } from '../../../contract/roles.ts'
import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'

export const administrators = {
  name: 'administrators',
  tables: [
    'administrator',
    'administratorDomain',
    'administratorPasskey',
    'administratorInvitation',
    'administratorCeremony',
    'administratorNamesake',
    'administratorSession',
    'consent',
  ],
  removals: {
    endedAdministratorCeremonies: {
      place: 8,
      removeSome: removal('administratorCeremony', ['challengeHash'], (is, now) => is('expiresAt', '<=', now)),
    },
    expiredConsents: {
      place: 9,
      removeSome: removal('consent', ['id'], (is, now) => is('expiresAt', '<=', now)),
    },
    expiredInvitations: {
      place: 12,
      removeSome: removal('administratorInvitation', ['tokenHash'], (is, now) => is('expiresAt', '<=', now)),
    },
    endedAdministratorSessions: {
      place: 13,
      removeSome: removal('administratorSession', ['hash'], (is, now) => is('usedAt', '<=', now - sessionLifetime)),
    },
  },
} as const satisfies Feature
