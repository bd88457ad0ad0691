import { shownCodeExpiry } from './activation-code.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { changesRow, derived, firstRow } from '../../engine/database/statement.ts'
import type { List, RowOf, Slot } from '../../engine/database/statement.ts'

/** Finds a pending token by its code. @param codeLookups The lookup of the code with each key of the ring. */
export const activationOf = firstRow('activationOf', (db, codeLookups: List<string>, now: Slot<number>) =>
  activations(db)
    .select('token.code as sealedCode')
    .where('token.codeLookup', 'in', codeLookups)
    .where('token.state', '=', 'pending')
    .where('token.codeExpiresAt', '>', now)
    .where('token.createdAt', '<=', derived(now, latestBeginning)),
)

/** The token that an activation code belongs to, with its domain, organization and user. */
export type Activation = RowOf<typeof activationOf>

/** Finds an active token by its id. */
export const activationOfToken = firstRow('activationOfToken', (db, tokenId: Slot<string>) =>
  activations(db)
    .select('token.replacement as sealedCode')
    .where((is) => is.and({ 'token.id': tokenId, 'token.state': 'active' })),
)

/** Finds an active token by the code that replaces its device. */
export const replacementOf = firstRow('replacementOf', (db, codeLookups: List<string>, now: Slot<number>) =>
  activations(db)
    .select('token.replacement as sealedCode')
    .where('token.replacementLookup', 'in', codeLookups)
    .where('token.state', '=', 'active')
    .where('token.replacementExpiresAt', '>', now)
    .where('token.replacementExpiresAt', '<=', derived(now, latestCodeExpiry)),
)

/** A later one was set by a clock that was ahead. */
export const latestCodeExpiry = (now: number): number => latestBeginning(shownCodeExpiry(now))

/** Uses a code up. @returns false when another caller, or the clock, was first. */
export const activateToken = changesRow('activateToken', (db, tokenId: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('token')
    .set({
      state: 'active',
      code: null,
      codeLookup: null,
      codeExpiresAt: null,
      mailedAt: null,
      activatedAt: now,
      ...noGrant,
    })
    .where((is) => is.and({ id: tokenId, state: 'pending' }))
    .where('codeExpiresAt', '>', now)
    .where('createdAt', '<=', derived(now, latestBeginning)),
)

const noGrant = { grantedFactor: null, grantedFactorId: null } as const

function activations(db: Queryable) {
  return db
    .selectFrom('token')
    .innerJoin('domain', 'domain.id', 'token.domainId')
    .innerJoin('organization', 'organization.id', 'domain.organizationId')
    .innerJoin('user', 'user.id', 'token.userId')
    .select([
      'token.id as tokenId',
      'domain.id as domainId',
      'domain.name as domainName',
      'domain.keyType',
      'organization.id as organizationId',
      'organization.name as organizationName',
      'user.id as userId',
      'user.username',
      'user.name',
      'token.firstOnly',
      'token.replacementEpoch',
      'token.grantedFactor',
      'token.grantedFactorId',
    ])
}
