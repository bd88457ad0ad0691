import { removal } from '../../engine/database/due.ts'
import type { Feature } from '../../engine/steps/feature.ts'
import { deleteArtifactsOf } from './artifact-statements.ts'
import { keptAfter } from './key-times.ts'

export const oidc = {
  name: 'oidc',
  tables: ['oidcClient', 'oidcArtifact', 'oidcPing', 'oidcKey'],
  // What ends with the epoch has ended already: see `features/browsers/epochs.ts`.
  userEnds: [{ place: 5, run: (db, { userId }) => deleteArtifactsOf(db, userId) }],
  removals: {
    expiredArtifacts: {
      place: 31,
      beforeRotation: true,
      removeSome: removal('oidcArtifact', ['id'], (is, now) => is('expiresAt', '<=', now)),
    },
    expiredPings: {
      place: 33,
      removeSome: removal('oidcPing', ['artifactId'], (is, now) => is('expiresAt', '<=', now)),
    },
    retiredKeys: {
      place: 32,
      beforeRotation: true,
      removeSome: removal('oidcKey', ['id'], (is, now) =>
        is.exists(
          is
            .selectFrom('oidcKey as successor')
            .select('successor.id')
            .whereRef('successor.generation', '>', 'oidcKey.generation')
            .where('successor.signsFrom', '<=', now - keptAfter),
        ),
      ),
    },
  },
} as const satisfies Feature
