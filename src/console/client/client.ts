import { ApiError, hasCode } from './errors.ts'
import { usePasskey } from './passkey.ts'
import type { Route, RouteInput, RouteOutput } from './routes.ts'
import { type Call, send } from './send.ts'

export type CallOptions = Pick<Call, 'version' | 'unattended' | 'wait' | 'signal'>

/** The REST interface of the console. */
export interface Client {
  /**
   * @throws {ApiError} @throws {UnreachableError} @throws {PasskeyError} where the change needs the passkey once more.
   */
  call<R extends Route>(route: R, input: RouteInput<R>, options?: CallOptions): Promise<RouteOutput<R>>
  /** Names the administrator whom the page shows: for any other one, who has signed in elsewhere in the browser, no call is made. */
  expect(administratorId: string | undefined): void
}

/**
 * @param base The address of the REST interface.
 * @param onSignedOut Called when the service no longer knows the session. Resolves if the same administrator has signed in again.
 */
export function createClient(base: string, onSignedOut: () => Promise<void>): Client {
  let administrator: string | undefined
  const once = <R extends Route>(route: R, input: RouteInput<R>, options: CallOptions = {}) =>
    send(base, { ...(input as object), ...options, route, administrator }) as Promise<RouteOutput<R>>

  /** Changes need a recent use of the passkey. */
  async function confirm(): Promise<void> {
    const response = await usePasskey(await once('POST /admin/confirmation/options', {}))
    await once('POST /admin/confirmation', { body: { response } })
  }

  async function call<R extends Route>(route: R, input: RouteInput<R>, options?: CallOptions): Promise<RouteOutput<R>> {
    try {
      return await once(route, input, options).catch(async (error: unknown) => {
        if (!hasCode(error, 'api.error.forbidden.fresh')) throw error
        await confirm()
        return once(route, input, options)
      })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      const signedInAgain = onSignedOut()
      // A change is not made long after it was asked for: what was entered stays, and the person presses the button again.
      if (!route.startsWith('GET ')) throw error
      await signedInAgain
      return call(route, input, options)
    }
  }
  return { call, expect: (administratorId) => void (administrator = administratorId) }
}
