/** Small things about the app itself, nothing of an account. */
export type Remembered = 'language' | 'notifications' | 'noHints'

const key = (name: Remembered) => `second-factor ${name}`

/** A browser may forbid the page to store anything: then nothing is remembered, and all else goes on. */
export function remember(name: Remembered, value: string): void {
  try {
    localStorage.setItem(key(name), value)
  } catch {
    // As above.
  }
}

export function recall(name: Remembered): string | undefined {
  try {
    return localStorage.getItem(key(name)) ?? undefined
  } catch {
    return undefined
  }
}

export function forget(name: Remembered): void {
  try {
    localStorage.removeItem(key(name))
  } catch {
    // As above.
  }
}
