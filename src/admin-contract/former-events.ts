/**
 * Events under the names that they had in earlier versions, with their current names. No such entry is written anymore, but those
 * in a trail stay as they are, because each entry contains the hash of the one before.
 */
export const formerEvents: ReadonlyMap<string, string> = new Map([
  ['approval.requested', 'consent.requested'],
  ['approval.approved', 'consent.given'],
  ['approval.denied', 'consent.denied'],
  ['approval.used', 'consent.used'],
])

/** Facts of such events, likewise. */
export const formerFacts: ReadonlyMap<string, string> = new Map([['approval', 'consent']])
