/** The things that a revocation ended. Requests that wait for these must be notified. */
export interface Revoked {
  readonly tokens: readonly Ended[]
  readonly devices: readonly Ended[]
  readonly sessions: readonly Ended[]
}

/** A token, device or session that is no more, and whose it was. */
export interface Ended {
  readonly id: string
  readonly domainId: string
  readonly userId: string
}

export const noneRevoked: Revoked = { tokens: [], devices: [], sessions: [] }
