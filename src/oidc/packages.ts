import type expressModule from 'express'
import type sessionModule from 'express-session'
import type * as openidModule from 'oidc-provider'

import { loadOptional } from '../service/engine/base/optional-package.ts'

const purpose = 'OpenID Connect'

/** What the provider needs beside Express, loaded when it is first used. */
export interface Packages {
  readonly openid: typeof openidModule
  readonly express: typeof expressModule
  readonly session: typeof sessionModule
}

/** @throws {SetupError} that says what to install. */
export async function loadPackages(): Promise<Packages> {
  const openid = await loadOptional({ name: 'oidc-provider', purpose, oldest: '9.13' }, () => import('oidc-provider'))
  const session = await loadOptional(
    { name: 'express-session', purpose, oldest: '1.18' },
    async () => (await import('express-session')).default,
  )
  const express = await loadOptional(
    { name: 'express', purpose, oldest: '4.16' },
    async () => (await import('express')).default,
  )
  return { openid, express, session }
}
