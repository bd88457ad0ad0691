import type { WebSession } from '../framework/session-kind.ts'

const views = new WeakSet<WebSession>()

/**
 * A web session that the app can read, and that nothing stores. All of its data are those of the original, and none is a member of its
 * own, so it holds no MFA state.
 *
 * @param members Keep the middleware from storing it.
 */
export function readOnly(session: WebSession, members: PropertyDescriptorMap): WebSession {
  const view = Object.create(session, members) as WebSession
  views.add(view)
  return view
}

export const isReadOnly = (session: WebSession): boolean => views.has(session)

/** A member in place of that of the original, which code of the app may replace for its part. */
const member = (value: unknown): PropertyDescriptor => ({ configurable: true, writable: true, value })

/**
 * For middleware like express-session, which calls `touch()` before it looks for the id. An app that saves in a wrapper of `end()` waits
 * for the callback.
 */
export const unsaved: PropertyDescriptorMap = {
  save: member((callback?: () => void) => callback?.()),
  touch: member(() => {}),
  regenerate: member(undefined),
}
