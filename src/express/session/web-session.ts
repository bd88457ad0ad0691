import type { HttpRequest } from '../framework/http-request.ts'
import type { SessionKind, WebSession } from '../framework/session-kind.ts'
import { keepLifetime } from './keep-lifetime.ts'
import type { MfaState } from './mfa-state.ts'
import { underNewId } from './new-id.ts'
import { mergeApprovals } from './open-approvals.ts'
import { renewOnce, saveUnlessRenewed } from './renewals.ts'
import { saveOnlyChanges } from './save-only-changes.ts'
import {
  expressSession,
  hasChangedState,
  hasMfaState,
  hasStored,
  hasWebSession,
  ignoreState,
  kindOf,
  openApprovals,
  putFittingState,
  removeMfaState,
  storedCopyOf,
  sessionOf,
} from './session-state.ts'
import { parseState } from './stored-state.ts'
import type { StoredState } from './stored-state.ts'
import { WebSessionError } from './web-session-error.ts'

/**
 * Another request has given this web session a new id, or has ended it. This request's copy must not be stored: that would bring the
 * old id back, for everyone who has a copy of the cookie.
 */
export class EndedSessionError extends Error {
  override readonly name = 'EndedSessionError'
}

/**
 * Stores the state; only then may an answer be sent that relies on it.
 *
 * @throws {EndedSessionError}
 */
export async function saveMfaState(req: HttpRequest, state: MfaState): Promise<void> {
  const copy = storedCopyOf(req)
  if (!copy) return storeState(req, state)
  const change = (stored: StoredState) => storeState(req, withStoredParts(req, state, stored))
  if (!(await saveUnlessRenewed(copy, change))) throw leave(req)
}

/**
 * With the challenges of other browsers, and the approvals of other tabs, as they are stored now: this request may have loaded the web
 * session before they were opened, and must not remove them.
 */
function withStoredParts(req: HttpRequest, state: MfaState, stored: StoredState): MfaState {
  const { otherChallenges } = parseState(stored, state.challenge?.binding)
  const approvals = mergeApprovals({
    loaded: openApprovals(req),
    changed: state.approvals,
    stored: stored.approvals,
  })
  return { ...state, otherChallenges, approvals }
}

async function storeState(req: HttpRequest, state: MfaState): Promise<void> {
  const { service: _service, late: _late, otherChallenges, ...ownState } = state
  const parts = { ...ownState, otherChallenges: otherChallenges?.length ? otherChallenges : undefined }
  if (Object.values(parts).some((part) => part !== undefined)) putFittingState(req, parts)
  else removeMfaState(req)
  await store(sessionOf(req))
}

/**
 * Removes the MFA state and stores that at once. A web session is not stored if another request has ended it meanwhile, or
 * if it no longer holds MFA state: storing would bring it back.
 */
export async function removeAndSaveMfaState(req: HttpRequest): Promise<void> {
  const session = sessionOf(req)
  if (!hasMfaState(req)) return
  if (kindOf(req).isInCookie || (await hasStored(req))) {
    removeMfaState(req)
    return store(session)
  }
  ignoreState(session)
}

function leave(req: HttpRequest): EndedSessionError {
  detachWebSession(req)
  return new EndedSessionError('Another request has renewed or ended this web session.')
}

/**
 * Stores the state under a new session id, with all data of the app: an id that an attacker planted or noted before
 * (session fixation) is worth nothing afterwards.
 *
 * @param answerOver Aborted once the answer with the new id has been sent, or cannot be.
 * @throws {EndedSessionError} Of two requests with one id, the second must not copy the web session.
 */
export async function saveUnderNewId(req: HttpRequest, state: MfaState, answerOver: AbortSignal): Promise<void> {
  const kind = kindOf(req)
  if (kind.isInCookie) return saveMfaState(req, state)
  const old = sessionOf(req)
  const copyData = () => copyFrom(old, req, kind)
  const change = () => underNewId(req, { renew: () => renew(req, old), copyData })
  const copy = storedCopyOf(req)
  if (!copy) await change()
  else if (!(await renewOnce(copy, answerOver, change))) throw leave(req)
  try {
    await saveMfaState(req, state)
  } catch (error) {
    // express-session saves once more when the answer ends: that save must not verify the user.
    removeMfaState(req)
    throw error
  }
}

async function renew(req: HttpRequest, old: WebSession): Promise<void> {
  try {
    await promised((done) => old.regenerate?.(done))
  } catch (error) {
    // The old web session still exists, and the empty one that replaced it on the request must not sign the user out.
    detachWebSession(req)
    throw error
  }
}

function copyFrom(old: WebSession, req: HttpRequest, kind: SessionKind): void {
  const { mfa: _before, ...data } = kind.dataOf(old)
  const session = sessionOf(req)
  saveOnlyChanges(session)
  Object.assign(session, data)
  keepLifetime(old, session)
}

/**
 * Detaches the web session, for answers that only read it. Otherwise express-session would store (`resave`) or touch the
 * copy that this request loaded, and so resurrect an id that was changed meanwhile. The answer then carries no session cookie
 * either, not even with `rolling` or `saveUninitialized`. The app can still read it.
 *
 * @returns a function that attaches it again, for a request that turns out to need it.
 */
export function detachWebSession(req: HttpRequest): () => void {
  const kind = kindOf(req)
  // A change of a web session in a cookie is stored by sending the cookie.
  if (!hasWebSession(req) || (kind.isInCookie && hasChangedState(req))) return () => {}
  return kind.detach(req)
}

/** Calls `then` after the next regenerate() of this web session, which Passport's login runs: see passport/carry-over.ts. */
export function onRegenerate(req: HttpRequest, then: () => void): void {
  const session = sessionOf(req)
  const original = session.regenerate?.bind(session)
  // Others have arguments of their own.
  if (!original || kindOf(req) !== expressSession) return
  Object.defineProperty(session, 'regenerate', {
    configurable: true,
    enumerable: false,
    value(callback: (error?: unknown) => void) {
      original((error?: unknown) => {
        if (!error) {
          saveOnlyChanges(sessionOf(req))
          then()
        }
        callback(error)
      })
      return this as WebSession
    },
  })
}

async function store(session: WebSession): Promise<void> {
  if (session.save) await promised((done) => session.save?.(done))
}

function promised(run: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) =>
      error ? reject(new WebSessionError('The web session was not stored.', { cause: error })) : resolve(),
    )
  })
}
