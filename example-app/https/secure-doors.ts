import type { X509Certificate } from 'node:crypto'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import { hostname, networkInterfaces } from 'node:os'

import type { Express } from 'express'

import type { Door } from '../listening.ts'
import { createPages } from '../pages.ts'
import { openCertificates } from './certificate.ts'
import { lanAddresses, localName } from './lan.ts'
import { createTrustPages } from './trust-pages.ts'

export interface SecureDoors {
  /** Where the certificates are kept. */
  readonly folder: string
  /** Of the app. */
  readonly port: number
  readonly publicUrl: string
  /** Of the pages that say how to trust it. */
  readonly trustPort: number
}

/** The app over https, and beside it, over http, how a phone comes to trust that. */
export async function openSecureDoors(
  app: Express,
  { folder, port, publicUrl, trustPort }: SecureDoors,
): Promise<{ doors: readonly Door[]; authority: X509Certificate }> {
  const now = Math.floor(Date.now() / 1000)
  const { server, authority } = await openCertificates(folder, namesOf(publicUrl), now)
  const secure = createServer({ cert: server.certificate, key: server.key }, app)
  const plain = createPlainServer(createTrustPages(authority, publicUrl, createPages()))
  return {
    doors: [
      { server: secure, port },
      { server: plain, port: trustPort },
    ],
    authority,
  }
}

/** All that browsers may call this computer by. */
function namesOf(publicUrl: string): readonly string[] {
  const shown = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  const local = localName(hostname())
  const lan = lanAddresses(networkInterfaces())
  return [...new Set([shown, 'localhost', '127.0.0.1', '::1', ...lan, ...(local ? [local] : [])])]
}
