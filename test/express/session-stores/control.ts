import type { SessionData, Store } from 'express-session'

type Verb = 'set' | 'destroy'

export type ControlledStore = ReturnType<typeof control>

/** A store in the hands of a test: what it does can be held up, and fail. */
export function control(store: Store) {
  const gates = new Map<Verb, Promise<void>>()
  let reached = () => {}

  for (const verb of ['set', 'destroy'] as const) {
    const act = store[verb].bind(store) as (...args: unknown[]) => void
    store[verb] = (...args: unknown[]) => {
      const gate = gates.get(verb)
      if (!gate) return act(...args)
      reached()
      const done = args.at(-1) as ((error?: unknown) => void) | undefined
      gate.then(
        () => act(...args),
        (error: unknown) => done?.(error),
      )
    }
  }

  return {
    read: (id: string) =>
      new Promise<SessionData | null>((resolve, reject) => {
        store.get(id, (error, session) => (error ? reject(error as Error) : resolve(session ?? null)))
      }),
    /** Holds up what is done from now on; `reached` resolves when something is. */
    hold(verb: Verb) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      reached = release.resolve
      gates.set(verb, promise)
      return {
        reached: release.promise,
        release() {
          gates.delete(verb)
          resolve()
        },
      }
    },
    release: () => gates.clear(),
    /** The next one fails, and no other. */
    failOnce(verb: Verb) {
      const gate = Promise.reject(new Error('the store is down'))
      gate.catch(() => {})
      gates.set(verb, gate)
      reached = () => void gates.delete(verb)
    },
  }
}
