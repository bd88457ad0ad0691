/** The organization, or the domain within it, exists already. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError'
}

/** What an administrator asked for cannot be: the message says why, and what to do instead. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
}
