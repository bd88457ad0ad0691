import { encodeQR } from 'qr'

import { keyUri, typedSecret } from '../../challenge/authenticator-app.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { readMfaState } from '../session/web-session.ts'
import { layoutOf, sendPage } from './layout.ts'

/** Where the first code goes to, below the challenge path. */
export type AppPath = 'enroll/app' | 'devices/app'

interface Given {
  /** Hexadecimal. */
  readonly seed: string
  readonly path: AppPath
  /** Whether one was wrong already. */
  readonly wrong: boolean
}

/** What any authenticator app is set up with. The secret is on this page and in no address. */
export function appPage({ req, res, context }: ChallengeRequest, { seed, path, wrong }: Given) {
  const layout = layoutOf(req, context)
  const { user } = context
  const uri = keyUri({ issuer: layout.appName, account: user?.username ?? user?.name ?? layout.appName, seed })
  const secret = typedSecret(seed)
  const { challenge, page } = readMfaState(req)
  const view = {
    ...layout,
    typing: true,
    headline: layout.words.app.headline,
    uri,
    secret,
    qr: encodeQR(uri, 'svg', { border: 2 }),
    path,
    back: path === 'enroll/app' ? layout.base : `${layout.base}/devices`,
    token: (path === 'enroll/app' ? challenge?.page : page) ?? '',
    wrong,
  }
  return { uri, secret, send: () => sendPage(res, 200, 'app', view) }
}
