/**
 * Users who were reset before factors could be imported, and have not enrolled again: only an administrator imports theirs, because another
 * system may still have the seed of a stolen phone. A reset has always set the epoch.
 */
export const importAfterReset: readonly string[] = [
  "update \"user\" set import_state = 'restored' where ever_enrolled = 0 and epoch is not null and import_state = 'open'",
]
