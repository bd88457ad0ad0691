import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'

import { encodeQR } from 'qr'

import type { Settings } from './settings.ts'

/** What the terminal says once the app runs. */
export function greeting(settings: Settings): string {
  const { publicUrl, data, hosted } = settings
  return `
  Example app     ${publicUrl}
  Authenticator   ${hosted ? 'where your service has it' : `${publicUrl}/mfa/authenticator/`}
  Data            ${data}

  1. Open the example app, create an account and sign in.
  2. It shows how to set up the authenticator: open that in another window.
  3. Approve the sign-in there. The example app goes on by itself.

  No second window? The terminal approves too: npx second-factor device --help
  A real phone? npm start -- --https
  Stop with Ctrl+C.
`
}

export interface PhoneGreeting {
  readonly trustUrl: string
  readonly authority: X509Certificate
  /** Of the certificates. */
  readonly folder: string
  /** Whether the terminal shows colours. */
  readonly colour: boolean
}

/** The same over https, where a phone takes part. */
export function phoneGreeting(settings: Settings, { trustUrl, authority, folder, colour }: PhoneGreeting): string {
  const reachable = new URL(settings.publicUrl).hostname !== 'localhost'
  const phone = reachable ? settings.publicUrl : 'not yet: this computer has no address in a network'
  return `
  On this computer   ${here(settings)}
  On your phone      ${phone}
  Data               ${settings.data}
${reachable ? steps(trustUrl, authority, colour) : '\n  Join a network and start again: then your phone can take part.\n'}
  The browser here warns until it trusts ${join(folder, 'authority.crt')}.
  That certificate is good for this folder only, and for a year. Its key stays in the folder. To be rid of it,
  make the phone and the browser forget "${commonName(authority)}", and remove ${folder}.
  Stop with Ctrl+C.
`
}

/** Who listens on one address only has no other for this computer either. */
function here({ host, port, publicUrl }: Settings): string {
  return host === '0.0.0.0' || host === '::' ? `https://localhost:${port}` : publicUrl
}

function steps(url: string, authority: X509Certificate, colour: boolean): string {
  return `
${qr(url, colour)}

  ${url}
  Fingerprint of the certificate there (SHA-256):
  ${authority.fingerprint256}

  1. Scan this with your phone: the page says how the phone comes to trust this computer.
  2. Open the example app on this computer, create an account and sign in.
  3. Scan the code that it shows. The authenticator opens on your phone, and approves there.
`
}

/** Light blocks on a dark ground, whatever colours the terminal has: some phones read no other. */
function qr(text: string, colour: boolean): string {
  const lines = encodeQR(text, 'ascii', { border: 2 }).trimEnd().split('\n')
  return lines.map((line) => (colour ? `  \u001B[97;40m${line}\u001B[0m` : `  ${line}`)).join('\n')
}

const commonName = ({ subject }: X509Certificate) => subject.replace(/^CN=/, '')
