/** An organization, or a domain within one, already has this name. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError'
}

/** The request of an administrator cannot be carried out. The message says why, and what to do instead. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
}
