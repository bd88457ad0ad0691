/** The oldest supported Node: with an older one the SQLite driver crashes, and language features are missing. */
const minVersion = [22, 12] as const

/**
 * Every entry point calls this first, so that an old Node fails at the start with a clear message and not at a sign-in.
 *
 * @param caller The entry point, such as `mfa()`.
 * @throws {Error} when this Node is too old.
 */
export function requireNode(caller: string, version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return
  throw new Error(`${caller} needs Node ${minVersion.join('.')} or later; this is ${version}. Install a newer one.`)
}
