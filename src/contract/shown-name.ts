/** A person as pages and devices show them. */
export interface ShownName {
  /** The name that people know. */
  readonly name: string
  /** The name that they sign in with, where it differs and says something to them. */
  readonly username?: string
}

/** @returns undefined if neither is known. */
export function shownNameOf(person: {
  readonly name?: string | undefined
  readonly username?: string | undefined
}): ShownName | undefined {
  const { username, name = username } = person
  if (name === undefined) return undefined
  const differs = username !== undefined && username.toLowerCase() !== name.toLowerCase()
  return differs && !isMadeUp(username) ? { name, username } : { name }
}

/** Whether it looks like an id that an app has made up, such as a number or a UUID: it only confuses. */
function isMadeUp(username: string): boolean {
  return /^\d+$/.test(username) || /^[\da-f-]{16,}$/i.test(username) || /^(?=.*\d)[\w|:-]{20,}$/.test(username)
}
