/** The things that callers wait for: a session, the requests of a device, the turn to synchronize the users of an organization. */
export const waiterKey = {
  session: (id: string): string => `session:${id}`,
  device: (id: string): string => `device:${id}`,
  callerVerification: (id: string): string => `caller:${id}`,
  approval: (id: string): string => `approval:${id}`,
  /** The approvals of a domain. */
  approvalsOf: (domainId: string): string => `approvals:${domainId}`,
  synchronization: (organizationId: string): string => `synchronization:${organizationId}`,
  /** The epoch of a user of the domain has changed. */
  epoch: (domainId: string, userId: string): string => `epoch:${domainId}:${userId}`,
}

/** What event streams learn from a notification about a session, so that no node reads it. */
export const sessionEventKey = {
  /** Beside the key of the session. */
  settled: (domainId: string, id: string): string => `settled:${domainId}:${id}`,
  /**
   * In place of the key of the session, for which nobody waits before it exists. With it, a change in the same notification could
   * not be told from the creation.
   * @param expiresAt Unix time, seconds.
   */
  pending: (id: string, expiresAt: number): string => `pending:${id}:${expiresAt}`,
}

export const isDevice = (key: string) => key.startsWith('device:')

/** The user whose epoch has changed, if the key is about one. */
export function epochChangeOf(key: string): { readonly domainId: string; readonly userId: string } | undefined {
  const [, domainId, userId] = /^epoch:([^:]+):(.+)$/.exec(key) ?? []
  return domainId === undefined || userId === undefined ? undefined : { domainId, userId }
}

/** The sessions that changed, by what the keys say about them. */
export function sessionChangesOf(keys: readonly string[]): {
  readonly settled: readonly { readonly domainId: string; readonly id: string }[]
  /** Unix times, seconds. */
  readonly expiries: readonly number[]
  /** Sessions that have changed in a way that no key tells. Nodes of earlier versions send only these. */
  readonly unknown: readonly string[]
} {
  const split = keys.map((key) => key.split(':'))
  const settled = split.flatMap(([kind, domainId = '', id = '']) => (kind === 'settled' ? [{ domainId, id }] : []))
  const known = new Set(settled.map(({ id }) => id))
  return {
    settled,
    expiries: split.flatMap(([kind, , expiresAt]) => (kind === 'pending' ? [Number(expiresAt)] : [])),
    unknown: keys.flatMap((key) => sessionIdOf(key) ?? []).filter((id) => !known.has(id)),
  }
}

const sessionIdOf = (key: string): string | undefined =>
  key.startsWith('session:') ? key.slice('session:'.length) : undefined
