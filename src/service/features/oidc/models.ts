/** Rows that are none of oidc-provider's models. */
export const ownModels = {
  /** A session of express-session: the pages of the second step. */
  webSession: 'WebSession',
  /**
   * An interaction with a login, or a session of a user, that oidc-provider has just taken: nobody finds it, and a session or grant
   * of the user can be stored as long as it is there.
   */
  formerLogin: 'FormerLogin',
  /** What a client is told when a person has answered. */
  ping: 'Ping',
} as const

/** What shows that a user is signed in, or is asked for a sign-in. A session or grant of the user needs one of them. */
export const roots = ['Session', ownModels.formerLogin, 'BackchannelAuthenticationRequest'] as const

/** How long a taken login counts, seconds. oidc-provider stores what follows from it in the same request. */
export const formerLoginKept = 60

/** The longest time that anything is stored for, seconds. */
export const maxLifetime = 90 * 24 * 60 * 60

/** The longest time for what belongs to nobody yet: anyone can cause it. Seconds. */
export const maxLifetimeOfNobody = 60 * 60

/** The largest payload, bytes of JSON. */
export const maxPayload = 32 * 1024

/**
 * How much that belongs to nobody yet is stored for one client in 10 minutes, and for all that names none: in total, and for strangers in
 * one network.
 */
export const artifactLimits = {
  ofClient: { total: 6_000, ofNetwork: 300 },
  ofNone: { total: 60_000, ofNetwork: 3_000 },
  window: 600,
  slot: 60,
} as const

/** Wrong secrets of a client that are counted and recorded from one address in 10 minutes. */
export const secretLimit = { limit: 20, window: 600 } as const
