/** Preferences of the app; nothing about an account. */
export type Preference = 'language' | 'notifications' | 'noHints'

const key = (name: Preference) => `second-factor ${name}`

/** A browser may forbid the page to store anything. Then preferences are not saved, and everything else works. */
export function savePreference(name: Preference, value: string): void {
  try {
    localStorage.setItem(key(name), value)
  } catch {
    // A browser without storage keeps the choice for this page only.
  }
}

export function readPreference(name: Preference): string | undefined {
  try {
    return localStorage.getItem(key(name)) ?? undefined
  } catch {
    return undefined
  }
}

export function deletePreference(name: Preference): void {
  try {
    localStorage.removeItem(key(name))
  } catch {
    // A browser without storage has nothing to delete.
  }
}
