/** The oldest Node that works: before it, the SQLite driver crashes and parts of the language are missing. */
const oldest = [22, 12] as const

/**
 * Called first by every function that starts something, so that an old Node is named instead of crashing at a sign-in.
 *
 * @param caller The function that was called.
 * @throws {Error} on a Node that is too old.
 */
export function requireNode(caller: string, version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new Error(`${caller} needs Node ${oldest.join('.')} or later; this is ${version}. Install a newer one.`)
}
