/** The keys at hand are not those of the database. Says what to do, and never a key. */
export class KeysError extends Error {
  override readonly name = 'KeysError'
}
