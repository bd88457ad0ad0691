import type * as contract from '../../../contract/factor-import.ts'
import { findDomain } from '../domains/find.ts'
import type { Handler } from '../../engine/http/route.ts'
import { importUsers, previewImport } from './import-users.ts'
import { isShortSeed } from './rules.ts'

export const importFactors: Handler<typeof contract.importFactors> = async ({ domainId, ...input }, call) => {
  const { users, addUsers, dryRun } = input
  const { id } = await findDomain(call, domainId)
  const run = dryRun ? previewImport : importUsers
  const outcomes = await run(call, { domainId: id, addUsers }, users)
  const stored = users.filter((_user, index) => outcomes[index]?.outcome === 'stored')
  return { users: outcomes, shortSeeds: stored.filter(({ app }) => isShortSeed(app.seed)).length }
}
