/** A web session of express-session. */
export interface SavedSession {
  save?(callback: (error?: unknown) => void): void
}

/**
 * Skips a save of what is stored already. express-session saves a web session with a new id once more when the answer ends, and
 * sends the last byte of the answer only after that.
 */
export function saveOnlyChanges(session: SavedSession): void {
  const save = session.save?.bind(session)
  if (!save) return
  let stored: string | undefined
  Object.defineProperty(session, 'save', {
    configurable: true,
    enumerable: false,
    writable: true,
    value(callback: (error?: unknown) => void = () => {}) {
      const text = JSON.stringify(session)
      if (text === stored) callback()
      else {
        save((error) => {
          if (!error) stored = text
          callback(error)
        })
      }
      return session
    },
  })
}
