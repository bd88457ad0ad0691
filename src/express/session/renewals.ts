/** The web session as it is stored under an id. */
export interface StoredCopy<T> {
  readonly id: string
  /** Reads it; undefined if another request has renewed or ended it. */
  readonly read: () => Promise<T | undefined>
}

/** Stores a web session under the id that it has, or moves it to a new one. */
type Change<T> = (stored: T) => Promise<void>

/** A save under an id. It reads the store first, and a renewal can begin meanwhile. */
interface Save {
  isOutdated: boolean
  saving: Promise<void> | undefined
}

/** Promises by the former id of a web session: each resolves when the answer with its new id has been sent, or cannot be. */
const renewals = new Map<string, Promise<void>>()

/** The saves that have begun, by the id of the web session. */
const saves = new Map<string, Set<Save>>()

/**
 * Gives a web session a new id. Of several requests with the same id, only the first does: another one could otherwise copy the web
 * session when this one has ended it. So it is reserved before the store is read, until the answer is over.
 *
 * @returns false if another request has renewed or ended it, or is about to.
 */
export async function renewOnce<T>(
  { id, read }: StoredCopy<T>,
  answerOver: AbortSignal,
  change: Change<T>,
): Promise<boolean> {
  if (renewals.has(id)) return false
  const responseSent = Promise.withResolvers<void>()
  renewals.set(id, responseSent.promise)
  const end = () => {
    renewals.delete(id)
    responseSent.resolve()
  }
  let isRenewed = false
  try {
    const concurrentSaves = [...(saves.get(id) ?? [])]
    for (const save of concurrentSaves) save.isOutdated = true
    const stored = await read()
    if (stored === undefined) return false
    // A store with several connections could otherwise carry them out after the old id has ended.
    await Promise.allSettled(concurrentSaves.flatMap(({ saving }) => saving ?? []))
    await change(stored)
    isRenewed = true
    return true
  } finally {
    if (!isRenewed || answerOver.aborted) end()
    else answerOver.addEventListener('abort', end)
  }
}

/**
 * Stores a web session under the id that it has.
 *
 * @returns false if another request has renewed or ended it meanwhile: storing it would bring the old id back.
 */
export async function saveUnlessRenewed<T>({ id, read }: StoredCopy<T>, change: Change<T>): Promise<boolean> {
  if (renewals.has(id)) return false
  const save: Save = { isOutdated: false, saving: undefined }
  const runningSaves = saves.get(id) ?? new Set()
  saves.set(id, runningSaves.add(save))
  try {
    const stored = await read()
    if (stored === undefined || save.isOutdated) return false
    save.saving = change(stored)
    await save.saving
    return true
  } finally {
    runningSaves.delete(save)
    if (runningSaves.size === 0) saves.delete(id)
  }
}

/** Waits until the browser has got the new id that another request has given to this web session. */
export async function renewalSent(formerId: string | undefined): Promise<void> {
  await renewals.get(formerId ?? '')
}
