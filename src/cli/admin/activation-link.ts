import { styleText } from 'node:util'

import type { Option } from 'commander'
import { encodeQR } from 'qr'

import { activationLink } from '../../contract/activation-link.ts'
import { authenticatorUrlOption } from './authenticator-url.ts'

/** With this option, commands that print an activation code also print a link. */
export const authenticatorOption = (): Option =>
  authenticatorUrlOption(
    'public address of the authenticator, such as https://mfa.example; prints a link and a QR code',
  )

/** @returns undefined without an address or a code. */
export function linkFor(address: string | undefined, code: string | undefined): string | undefined {
  return !address || code === undefined ? undefined : activationLink(address, code)
}

/** Prints a QR code to scan from the screen. Prints nothing when the output is not a terminal. */
export function printQr(link: string | undefined): void {
  if (link === undefined || !process.stdout.isTTY) return
  const lines = encodeQR(link, 'ascii', { ecc: 'low' }).trimEnd().split('\n')
  // The drawn parts are the light ones: fixed colors keep the code readable on a light terminal too.
  console.log(`\n${lines.map((line) => styleText(['whiteBright', 'bgBlack'], line)).join('\n')}`)
}
