/** What waits for a session, for the requests of a device, for its turn to synchronise an organization's users. */
export const waiterKey = {
  session: (id: string): string => `session:${id}`,
  device: (id: string): string => `device:${id}`,
  synchronisation: (organizationId: string): string => `synchronisation:${organizationId}`,
  /** That a user of the domain has another epoch. */
  epoch: (domainId: string, userId: string): string => `epoch:${domainId}:${userId}`,
}

export const isDevice = (key: string) => key.startsWith('device:')

/** The user with another epoch that a key is about. */
export function epochChangeOf(key: string): { readonly domainId: string; readonly userId: string } | undefined {
  const [, domainId, userId] = /^epoch:([^:]+):(.+)$/.exec(key) ?? []
  return domainId === undefined || userId === undefined ? undefined : { domainId, userId }
}

/** The session that a key is about. */
export function sessionIdOf(key: string): string | undefined {
  return key.startsWith('session:') ? key.slice('session:'.length) : undefined
}
