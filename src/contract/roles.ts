import { z } from 'zod'

/**
 * What an administrator may do. `owner`: everything. `admin`: users, tokens, codes and policies of some domains. `helpdesk`:
 * the people of some domains. `auditor`: reads.
 */
export const AdminRole = z.enum(['owner', 'admin', 'helpdesk', 'auditor'])
export type AdminRole = z.infer<typeof AdminRole>

/** Who may call an operation of the console. A test calls each operation in each role, and fails for one that declares nothing. */
export interface AdminAccess {
  /** The lowest role; `any` for what every administrator does for itself, `none` before the sign-in. */
  readonly role: AdminRole | 'any' | 'none'
  /** The subject of the operation: the caller's own access, things of a domain, or of the organization. */
  readonly scope: 'self' | 'domain' | 'organization'
  /** The caller must have used a passkey within the last `freshFor` seconds. */
  readonly fresh?: true
  /**
   * The help desk needs a verified caller, or the consent of another administrator for this person and operation; with
   * `sometimes`, the handler decides when.
   */
  readonly guarded?: true | 'sometimes'
  /** It shows what belongs to the organization as a whole: an administrator who is limited to domains may not call it. */
  readonly whole?: true
  /** It sends a question to the person, and changes nothing about them. */
  readonly asks?: true
  /** Fields of its body that are secrets: they are entered after a consent, and are no part of it. */
  readonly secrets?: readonly string[]
  /** It changes nothing that administrators work with, so auditors may call it although it is no `GET`. */
  readonly reads?: true
  /** It counts in every domain of the person, or of the organization if it names no person: the caller must manage all of them. */
  readonly everywhere?: true
}

/** How long a use of a passkey allows changes, seconds. */
export const freshFor = 5 * 60

/** Sessions end this long after the last request, and this long after the sign-in, seconds. */
export const sessionIdle = 30 * 60
export const sessionLifetime = 8 * 60 * 60

/** How long an invitation is valid, seconds. */
export const invitationLifetime = 30 * 60

interface Roles {
  readonly read: readonly AdminRole[]
  readonly change: readonly AdminRole[]
}

const everyone = AdminRole.options

/** The roles that may call an operation, by the lowest role that it declares. An auditor reads everything and changes nothing. */
const allowed: Readonly<Record<Exclude<AdminAccess['role'], 'none'>, Roles>> = {
  any: { read: everyone, change: everyone },
  auditor: { read: ['auditor', 'admin', 'owner'], change: [] },
  helpdesk: { read: everyone, change: ['helpdesk', 'admin', 'owner'] },
  admin: { read: ['auditor', 'admin', 'owner'], change: ['admin', 'owner'] },
  owner: { read: ['auditor', 'owner'], change: ['owner'] },
}

/** Whether administrators of a role may call an operation. Another check decides about whom. */
export function mayCall(role: AdminRole, { method, admin }: { readonly method: string; readonly admin: AdminAccess }) {
  if (admin.role === 'none') return true
  return allowed[admin.role][method === 'GET' || admin.reads ? 'read' : 'change'].includes(role)
}

/** Roles that belong to some domains. An auditor without domains reads the whole organization; an owner never has any. */
export const needsDomains = (role: AdminRole): boolean => role === 'admin' || role === 'helpdesk'
