import type { AppOutcome } from '../../challenge/authenticator-app.ts'
import { addApp } from '../../challenge/authenticator-app.ts'
import { readCode } from '../../challenge/code.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { appPage } from '../pages/app-page.ts'
import type { AppPath } from '../pages/app-page.ts'
import { message } from '../pages/message.ts'
import { isPrefetch, wantsJson } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, json, leadTo, redirect } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { saveUnderOwnId } from '../session/mfa-state.ts'
import { findNewcomer } from '../sign-in/newcomer.ts'
import type { Newcomer } from '../sign-in/newcomer.ts'
import { acceptedFactors, challengePolicy } from '../sign-in/challenge-policy.ts'
import { changing, devicesPath } from './guarded.ts'
import type { ChangeRequest, OwnRequest } from './guarded.ts'
import { withNextEpoch } from './next-epoch.ts'
import { appSecret, openedSecret, setupOf, withSetup } from './setup.ts'

/** `GET /mfa/devices/app`: sets up an authenticator app, in place of the current one if there is one. */
export const showApp = changing('app', (request) => {
  if (hasForeignToken(request)) return leadTo(request, devicesPath(request))
  return show(request, request.service, 'devices/app')
})

/** `POST /mfa/devices/app`: the first code of the app. */
export const storeApp = changing('app', (request) => {
  if (hasForeignToken(request)) return storedApp(request, { kind: 'too_late' })
  return withNextEpoch(request, async (saved, epoch) => {
    const { service, ownFactors, pass } = saved
    const options = { first: false, replaces: ownFactors.hardware?.id, pass, epoch }
    return storedApp(saved, await tryCode(saved, service, ownFactors.userId, options))
  })
})

function storedApp(request: ChangeRequest, outcome: AppOutcome): Outcome {
  const path = devicesPath(request)
  if (outcome.kind === 'wrong_code') return wrongCode(request, `${path}/app`)
  const state = { save: { ...request.state, setup: undefined } }
  if (outcome.kind === 'too_late') return { state, answer: continueAt(request, `${path}?done=changed`) }
  const type = request.ownFactors.hardware ? 'factor.replaced' : 'factor.added'
  return {
    state,
    events: [{ type, kind: 'app', id: outcome.app.id }],
    answer: continueAt(request, `${path}?done=app`),
  }
}

/** `GET /mfa/enroll/app`: an authenticator app as the first factor, during the first sign-in. */
export async function showFirstApp(request: WebRequest): Promise<Outcome> {
  if (isPrefetch(request.req)) return message(request, 503, 'not_ahead')
  const signIn = await findNewcomer(request)
  if (!signIn || !takesApp(request, signIn)) return { state: 'as-is', answer: redirect(request.context.base) }
  return show(request, signIn.service, 'enroll/app')
}

/** `POST /mfa/enroll/app`: the first code of the app. It does not verify the user; the next code does. */
export async function storeFirstApp(request: WebRequest): Promise<Outcome> {
  const { context, state } = request
  const signIn = await findNewcomer(request)
  if (!signIn || !takesApp(request, signIn)) return leadTo(request, context.base)
  const outcome = await tryCode(request, signIn.service, signIn.newcomer.id, { first: true })
  if (outcome.kind === 'wrong_code') return wrongCode(request, `${context.base}/enroll/app`)
  if (outcome.kind === 'too_late') {
    return { state: { save: { ...state, setup: undefined } }, answer: continueAt(request, context.base) }
  }
  const { challenge } = state
  const ready = challenge && ({ ...challenge, enrollment: 'done', notice: { kind: 'app_ready' } } as const)
  return {
    state: { save: { ...state, challenge: ready, setup: undefined } },
    events: [{ type: 'factor.added', kind: 'app', id: outcome.app.id }],
    answer: continueAt(request, `${context.base}?use=code`),
  }
}

/** Whether the app would pass the challenge of this web session. */
function takesApp(request: WebRequest, { service, newcomer }: Newcomer): boolean {
  const { challenge } = request.state
  if (!challenge) return false
  return acceptedFactors(challengePolicy(request, challenge), { service, member: newcomer }).includes('otp')
}

function show(request: WebRequest, service: ConnectedService, path: AppPath): Outcome {
  const { seed, state, cookies } = appSecret(request, service)
  const { page, uri, secret } = appPage(request, { seed, path, wrong: setupOf(request)?.wrong === true })
  return {
    state: saveUnderOwnId(request.state, userKeyOf(request.user), state),
    cookies,
    answer: wantsJson(request.req) ? json(200, { uri, secret: secret.replaceAll(' ', '') }) : page,
  }
}

async function tryCode(
  request: WebRequest,
  service: ConnectedService,
  userId: string,
  options: { first: boolean; replaces?: string | undefined; pass?: string; epoch?: string | undefined },
): Promise<AppOutcome> {
  const code = readCode(request.form['code'])
  const seed = openedSecret(request, service)
  if (seed === undefined || code?.length !== 6) return { kind: 'wrong_code' }
  return addApp(service, userId, { seed, code, ...options })
}

function wrongCode(request: WebRequest, path: string): Outcome {
  const app = setupOf(request)?.app
  const body = { error: 'wrong_code', message: 'Not the code it shows now.' }
  return {
    state: app === undefined ? 'as-is' : { save: withSetup(request, { app, wrong: true }) },
    answer: wantsJson(request.req) ? json(400, body) : redirect(path),
  }
}

/** Users cannot replace a hardware token of an administrator: they have to report it lost first. */
function hasForeignToken({ ownFactors }: OwnRequest): boolean {
  return ownFactors.hardware !== undefined && !ownFactors.hardware.selfEnrolled
}
