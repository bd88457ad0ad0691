/** The organization, or the domain within it, exists already. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError'
}
