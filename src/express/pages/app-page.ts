import { encodeQR } from 'qr'

import { keyUri, typedSecret } from '../../challenge/authenticator-app.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'

/** The path that the first code is posted to, below the challenge path. */
export type AppPath = 'enroll/app' | 'devices/app'

interface AppPageInput {
  /** Hexadecimal. */
  readonly seed: string
  readonly path: AppPath
  /** Whether a wrong code was entered. */
  readonly wrong: boolean
}

/** How the app lists it: people may have several accounts of one app. */
const accountOf = ({ person, appName }: ReturnType<typeof layoutOf>) => person?.username ?? person?.name ?? appName

/** The secret for any authenticator app. It is on this page and in no address. */
export function appPage(request: WebRequest, { seed, path, wrong }: AppPageInput) {
  const layout = layoutOf(request)
  const { state } = request
  const uri = keyUri({ issuer: layout.appName, account: accountOf(layout), seed })
  const secret = typedSecret(seed)
  const view = {
    ...layout,
    typing: true,
    hasField: wrong,
    headline: layout.words.app.headline,
    uri,
    secret,
    qr: encodeQR(uri, 'svg', { border: 2 }),
    path,
    back: path === 'enroll/app' ? layout.base : `${layout.base}/devices`,
    token: (path === 'enroll/app' ? state.challenge?.page : state.page) ?? '',
    wrong,
  }
  return { uri, secret, page: page(200, 'app', view) }
}
