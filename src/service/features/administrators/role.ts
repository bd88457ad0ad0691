import type { AdminRole } from '../../../contract/admin/roles.ts'
import { needsDomains } from '../../../contract/admin/roles.ts'

/**
 * The domains that an administrator may see; null for the whole organization. An admin or a help-desk agent without any domain
 * sees none, so that a lost row takes access away instead of giving it.
 */
export function visibleDomains(role: AdminRole, domainIds: readonly string[]): readonly string[] | null {
  if (role === 'owner') return null
  return needsDomains(role) || domainIds.length > 0 ? domainIds : null
}
