import type { X509Certificate } from 'node:crypto'
import { createServer as createPlainServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:https'
import { hostname, networkInterfaces } from 'node:os'

import type { Express } from 'express'

import { openCertificates } from './certificate.ts'
import { lanAddresses, localName } from './lan.ts'

export interface HttpsListenerOptions {
  /** The folder of the certificates. */
  readonly folder: string
  /** The port of the app. */
  readonly port: number
  readonly publicUrl: string
  /** The port of the page about the certificate. */
  readonly trustPort: number
  /** Explains over http how a phone trusts the certificate. */
  readonly trustPages: (authority: X509Certificate) => RequestListener
}

/** Serves the app over https, and over http a page that explains how a phone trusts its certificate. */
export async function createHttpsListeners(
  app: Express,
  { folder, port, publicUrl, trustPort, trustPages }: HttpsListenerOptions,
): Promise<{ listeners: readonly { server: Server; port: number }[]; authority: X509Certificate }> {
  const now = Math.floor(Date.now() / 1000)
  const { server, authority } = await openCertificates(folder, namesOf(publicUrl), now)
  const secure = createServer({ cert: server.certificate, key: server.key }, app)
  const plain = createPlainServer(trustPages(authority))
  return {
    listeners: [
      { server: secure, port },
      { server: plain, port: trustPort },
    ],
    authority,
  }
}

/** All names and addresses of this computer that browsers may use. */
function namesOf(publicUrl: string): readonly string[] {
  const hostText = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  const local = localName(hostname())
  const lan = lanAddresses(networkInterfaces())
  return [...new Set([hostText, 'localhost', '127.0.0.1', '::1', ...lan, ...(local ? [local] : [])])]
}
