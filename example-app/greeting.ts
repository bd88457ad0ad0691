import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'

import { encodeQR } from 'qr'

import type { Settings } from './settings.ts'

/** The text that the terminal shows once the app runs. */
export function greeting(settings: Settings): string {
  const { publicUrl, data, hosted } = settings
  return `
  Example app     ${publicUrl}
  Authenticator   ${hosted ? 'at your service' : `${publicUrl}/mfa/authenticator/`}
  Data            ${data}

  1. Open the example app, create an account and sign in.
  2. Choose "My phone", and set up the authenticator in another window. "This computer" adds a passkey instead.
  3. Approve the sign-in there. The example app continues automatically.

  To approve in the terminal: npx second-factor device --help
  To approve on a real phone: npm start -- --https
  Press Ctrl+C to stop.
`
}

export interface PhoneGreeting {
  readonly trustUrl: string
  readonly authority: X509Certificate
  /** The folder of the certificates. */
  readonly folder: string
  /** Whether the terminal supports colors. */
  readonly color: boolean
}

/** The same for https, where a phone can be used. */
export function phoneGreeting(settings: Settings, { trustUrl, authority, folder, color }: PhoneGreeting): string {
  const reachable = new URL(settings.publicUrl).hostname !== 'localhost'
  const phone = reachable ? settings.publicUrl : 'not available: this computer has no network address'
  return `
  On this computer   ${localUrl(settings)}
  On your phone      ${phone}
  Data               ${settings.data}
${reachable ? steps(trustUrl, authority, color) : '\n  To use a phone, connect this computer to a network and start again.\n'}
  The browser on this computer shows a warning until it trusts ${join(folder, 'authority.crt')}.
  That certificate is valid only for this folder, for one year, and its key never leaves the folder. To remove it,
  delete "${commonName(authority)}" from the phone and the browser, and delete ${folder}.
  Press Ctrl+C to stop.
`
}

/** If the app listens on a single address, this computer has to use it as well. */
function localUrl({ host, port, publicUrl }: Settings): string {
  return host === '0.0.0.0' || host === '::' ? `https://localhost:${port}` : publicUrl
}

function steps(url: string, authority: X509Certificate, color: boolean): string {
  return `
${qr(url, color)}

  ${url}
  SHA-256 fingerprint of its certificate:
  ${authority.fingerprint256}

  1. Scan this code with your phone. The page explains how to make the phone trust this computer.
  2. Open the example app on this computer, create an account and sign in.
  3. Scan the code that the app shows. The authenticator opens on your phone: approve there.
`
}

/** Light blocks on a dark background, whatever the colors of the terminal: some phones cannot read the inverse. */
function qr(text: string, color: boolean): string {
  const lines = encodeQR(text, 'ascii', { border: 2 }).trimEnd().split('\n')
  return lines.map((line) => (color ? `  \u001B[97;40m${line}\u001B[0m` : `  ${line}`)).join('\n')
}

const commonName = ({ subject }: X509Certificate) => subject.replace(/^CN=/, '')
