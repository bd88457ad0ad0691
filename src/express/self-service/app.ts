import type { AppOutcome } from '../../challenge/authenticator-app.ts'
import { addApp } from '../../challenge/authenticator-app.ts'
import { readCode } from '../../challenge/code.ts'
import { hasHandedOverCode, mayHaveFirst } from '../../challenge/enrollment.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { User } from '../../contract/users.ts'
import { findMember, userKeyOf } from '../../challenge/user.ts'
import { seeOther, sendJson, wantsJson } from '../request/answer.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { continueAt, maySelfEnroll } from '../request/web-request.ts'
import { verifiedOf } from '../request/context.ts'
import { withNextEpoch } from '../sign-in/epochs.ts'
import { emit } from '../request/events.ts'
import { isPrefetch } from '../request/navigation.ts'
import { appPage } from '../pages/app-page.ts'
import type { AppPath } from '../pages/app-page.ts'
import { showMessage } from '../pages/message.ts'
import { saveMfaState, readMfaState, takeOwnSessionId } from '../session/web-session.ts'
import { changing, devicesPath } from './guarded.ts'
import type { OwnRequest } from './guarded.ts'
import { appSecret, saveSetup, openedSecret, setupOf } from './setup.ts'

/** `GET /mfa/devices/app`: another authenticator app, in place of the present one where there is one. */
export const showApp = changing('app', async (request) => {
  if (isForeign(request)) return continueAt(request, devicesPath(request))
  await show(request, request.service, 'devices/app')
})

/** `POST /mfa/devices/app`: the first code it shows. */
export const storeApp = changing('app', async (request) => {
  const { req, context, own, service, pass } = request
  const replaces = own.hardware?.id
  const outcome = isForeign(request)
    ? tooLate
    : await withNextEpoch(req, context, (epoch) =>
        tryCode(request, service, own.userId, { first: false, replaces, pass, epoch }),
      )
  if (outcome.kind === 'wrong_code') return sayWrong(request, `${devicesPath(request)}/app`)
  await saveSetup(request, undefined)
  if (outcome.kind === 'too_late') return continueAt(request, `${devicesPath(request)}?done=changed`)
  emit(req, context, { type: replaces ? 'factor.replaced' : 'factor.added', kind: 'app', id: outcome.app.id })
  continueAt(request, `${devicesPath(request)}?done=app`)
})

/** `GET /mfa/enroll/app`: an authenticator app as the first factor, for who is on the way in and never had one. */
export async function showFirstApp(request: ChallengeRequest): Promise<void> {
  const { req, res, context } = request
  if (isPrefetch(req)) return showMessage(req, res, context, 503, 'not_ahead')
  const found = await newcomer(request)
  if (!found) return seeOther(res, context.base)
  await show(request, found.service, 'enroll/app')
}

/** `POST /mfa/enroll/app`: the first code it shows. Verifies nobody: the next code does. */
export async function storeFirstApp(request: ChallengeRequest): Promise<void> {
  const { req, context } = request
  const found = await newcomer(request)
  if (!found) return continueAt(request, context.base)
  const outcome = await tryCode(request, found.service, found.user.id, { first: true })
  if (outcome.kind === 'wrong_code') return sayWrong(request, `${context.base}/enroll/app`)
  if (outcome.kind === 'too_late') {
    await saveSetup(request, undefined)
    return continueAt(request, context.base)
  }
  const { challenge, ...kept } = readMfaState(req)
  const ready = challenge && ({ ...challenge, enrollment: 'done', notice: { kind: 'app_ready' } } as const)
  await saveMfaState(req, { ...kept, challenge: ready, setup: undefined })
  emit(req, context, { type: 'factor.added', kind: 'app', id: outcome.app.id })
  continueAt(request, `${context.base}?use=code`)
}

/** Somebody who may have a first factor, and is not in yet. */
export async function newcomer(
  request: ChallengeRequest,
): Promise<{ service: ConnectedService; user: User } | undefined> {
  const { req, context, user } = request
  if (!readMfaState(req).challenge || verifiedOf(req, context, user)) return undefined
  const service = await context.mfa.connect()
  const known = service.version === '1.3' ? undefined : await findMember(service, user)
  if (!known || !mayHaveFirst(known) || !(await maySelfEnroll(request, service.version))) return undefined
  return (await hasHandedOverCode(service, known.id)) ? undefined : { service, user: known }
}

async function show(request: ChallengeRequest, service: ConnectedService, path: AppPath): Promise<void> {
  const { req, res, user } = request
  await takeOwnSessionId(req, userKeyOf(user))
  const seed = await appSecret(request, service)
  const page = appPage(request, { seed, path, wrong: setupOf(request)?.wrong === true })
  if (wantsJson(req)) return sendJson(res, 200, { uri: page.uri, secret: page.secret.replaceAll(' ', '') })
  page.send()
}

async function tryCode(
  request: ChallengeRequest,
  service: ConnectedService,
  userId: string,
  wanted: { first: boolean; replaces?: string | undefined; pass?: string; epoch?: string | undefined },
): Promise<AppOutcome> {
  const code = readCode(request.form['code'])
  const seed = openedSecret(request, service)
  if (seed === undefined || code?.length !== 6) return { kind: 'wrong_code' }
  return addApp(service, userId, { seed, code, ...wanted })
}

async function sayWrong(request: ChallengeRequest, path: string): Promise<void> {
  const setup = setupOf(request)
  if (setup?.app !== undefined) await saveSetup(request, { app: setup.app, wrong: true })
  if (wantsJson(request.req))
    return sendJson(request.res, 400, { error: 'wrong_code', message: 'Not the code it shows now.' })
  continueAt(request, path)
}

/** An administrator's hardware token is not replaced by its user: it has to be reported lost first. */
function isForeign({ own }: OwnRequest): boolean {
  return own.hardware !== undefined && !own.hardware.selfEnrolled
}

const tooLate: AppOutcome = { kind: 'too_late' }
