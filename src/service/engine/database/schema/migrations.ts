import { schema } from './0001-schema.ts'
import { consent } from './0002-consent.ts'
import { consentSubject } from './0003-consent-subject.ts'
import { searchRows } from './0004-search-rows.ts'
import { callerStrength } from './0005-caller-strength.ts'
import { keptBrowserOfSession } from './0006-kept-browser-of-session.ts'
import { administratorNamesake } from './0007-administrator-namesake.ts'
import { apiKeyOfOrganization } from './0008-api-key-of-organization.ts'
import { foldedSearch } from './0009-folded-search.ts'
import { personOrder } from './0010-person-order.ts'
import { recoveryCodesOfUser } from './0011-recovery-codes-of-user.ts'
import { browserOfSession } from './0012-browser-of-session.ts'
import { mailReport } from './0013-mail-report.ts'
import { timeZoneOfUser } from './0014-time-zone-of-user.ts'
import { migrationHash } from './0015-migration-hash.ts'
import { memberOrder } from './0016-member-order.ts'
import { rememberedAnswer } from './0017-remembered-answer.ts'
import { codeAlgorithm } from './0018-code-algorithm.ts'
import { importedFactors } from './0019-imported-factors.ts'
import { codeCounter } from './0020-code-counter.ts'
import { importAfterReset } from './0021-import-after-reset.ts'
import { approval } from './0022-approval.ts'
import { oidc } from './0023-oidc.ts'
import { oidcPkce } from './0024-oidc-pkce.ts'
import { oidcPing } from './0025-oidc-ping.ts'
import { personFacts } from './0026-person-facts.ts'
import type { Engine } from './engine.ts'
import type { MigrationName } from './known-migrations.ts'

/** The statements of each migration, which may be added to and never edited. */
export const migrations = (engine: Engine): Readonly<Record<MigrationName, readonly string[]>> => ({
  '0001-schema': schema(engine),
  '0002-consent': consent,
  '0003-consent-subject': consentSubject,
  '0004-search-rows': searchRows(engine),
  '0005-caller-strength': callerStrength,
  '0006-kept-browser-of-session': keptBrowserOfSession,
  '0007-administrator-namesake': administratorNamesake,
  '0008-api-key-of-organization': apiKeyOfOrganization,
  '0009-folded-search': foldedSearch(engine),
  '0010-person-order': personOrder(engine),
  '0011-recovery-codes-of-user': recoveryCodesOfUser,
  '0012-browser-of-session': browserOfSession,
  '0013-mail-report': mailReport,
  '0014-time-zone-of-user': timeZoneOfUser,
  '0015-migration-hash': migrationHash,
  '0016-member-order': memberOrder(engine),
  '0017-remembered-answer': rememberedAnswer,
  '0018-code-algorithm': codeAlgorithm,
  '0019-imported-factors': importedFactors,
  '0020-code-counter': codeCounter,
  '0021-import-after-reset': importAfterReset,
  '0022-approval': approval(engine),
  '0023-oidc': oidc,
  '0024-oidc-pkce': oidcPkce,
  '0025-oidc-ping': oidcPing,
  '0026-person-facts': personFacts(engine),
})
