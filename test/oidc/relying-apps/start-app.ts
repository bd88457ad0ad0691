import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Express } from 'express'

import type { NewOidcClient } from '../../../src/admin-contract/oidc-client-settings.ts'
import { closeForNext, listenAgain } from '../../support/listen-again.ts'
import type { RegisteredClient, StartedProvider } from '../start-provider.ts'
import { createTabs } from '../tabs.ts'

/** The address that the app is registered with. Tests reach it on a port of this machine. */
export const appUrl = 'https://app.example'

/** What an app has to know of the provider. */
export interface AppSettings {
  readonly issuer: string
  readonly client: RegisteredClient
}

/**
 * An app with a library that speaks OpenID Connect, set up as the library documents it: `/login` starts a sign-in, `/` shows as JSON who
 * is signed in or null, and `/logout` signs out of the app and of the provider.
 */
export interface RelyingApp {
  /** The library, as npm calls it. */
  readonly name: string
  /** The path of its redirect address. */
  readonly callback: string
  /** What its registration needs beside the addresses and the scopes. */
  readonly registration?: Partial<NewOidcClient>
  /** Whether it can sign people out of the provider. */
  readonly hasLogout: boolean
  /** Whether it refuses the answer of another issuer (RFC 9207). */
  readonly readsIssuer: boolean
  readonly create: (settings: AppSettings) => Express | Promise<Express>
}

/** Registers an app with the provider, and starts it. Close it at the end. */
export async function startApp({ name, callback, registration, create }: RelyingApp, provider: StartedProvider) {
  const client = await provider.register(name, {
    kind: 'sign-in',
    redirectUris: [appUrl + callback],
    postLogoutRedirectUris: [`${appUrl}/`],
    ...registration,
  })
  const server = createServer(await create({ issuer: provider.url, client }))
  await listenAgain(server)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    client,
    /** A browser, as the app sees it. */
    browser: () => createTabs(url),
    close: () => closeForNext(server),
  }
}
