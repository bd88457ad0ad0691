/**
 * How often a person is asked who does not approve (OWASP ASVS 5.0 6.6.4): somebody who knows the password must not be
 * able to ask until they give in. Times in seconds.
 */
export const pushLimits = {
  short: { limit: 5, window: 10 * 60 },
  long: { limit: 15, window: 24 * 60 * 60 },
  /** Where nothing says that a password came first, also by the address that asks. */
  perAddress: { limit: 3, window: 10 * 60 },
  /** After "this was not me". */
  afterReport: { limit: 1, window: 15 * 60 },
} as const

export const mostPendingPushes = 3
