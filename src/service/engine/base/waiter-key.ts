/** The things that callers wait for: a session, the requests of a device, the turn to synchronize the users of an organization. */
export const waiterKey = {
  session: (id: string): string => `session:${id}`,
  device: (id: string): string => `device:${id}`,
  callerVerification: (id: string): string => `caller:${id}`,
  synchronization: (organizationId: string): string => `synchronization:${organizationId}`,
  /** The epoch of a user of the domain has changed. */
  epoch: (domainId: string, userId: string): string => `epoch:${domainId}:${userId}`,
}

export const isDevice = (key: string) => key.startsWith('device:')

/** The user whose epoch has changed, if the key is about one. */
export function epochChangeOf(key: string): { readonly domainId: string; readonly userId: string } | undefined {
  const [, domainId, userId] = /^epoch:([^:]+):(.+)$/.exec(key) ?? []
  return domainId === undefined || userId === undefined ? undefined : { domainId, userId }
}

/** The id of the session, if the key is about one. */
export function sessionIdOf(key: string): string | undefined {
  return key.startsWith('session:') ? key.slice('session:'.length) : undefined
}
