import { styleText } from 'node:util'

import { InvalidArgumentError, Option } from 'commander'
import { encodeQR } from 'qr'

import { activationLink } from '../../device/service-url.ts'

/** The commands that show an activation code, show it as a link as well where they know the address. */
export const authenticatorOption = () =>
  new Option(
    '--authenticator-url <url>',
    'where the service has its authenticator, such as https://mfa.example: shows a link and a QR code',
  )
    .env('MFA_AUTHENTICATOR_URL')
    .argParser(parseAddress)

/** @returns nothing where the address is not known. */
export function linkOf(address: string | undefined, code: string | undefined): string | undefined {
  return address === undefined || code === undefined ? undefined : activationLink(address, code)
}

/** For a phone that is held before the terminal; nothing where the output goes anywhere else. */
export function printQr(link: string | undefined): void {
  if (link === undefined || !process.stdout.isTTY) return
  const lines = encodeQR(link, 'ascii', { ecc: 'low' }).trimEnd().split('\n')
  // Its light parts are drawn. Whatever the colors of the terminal are, those have to be light, and the others dark.
  console.log(`\n${lines.map((line) => styleText(['whiteBright', 'bgBlack'], line)).join('\n')}`)
}

function parseAddress(text: string): string {
  try {
    activationLink(text, '')
    return text
  } catch {
    throw new InvalidArgumentError('It begins with https:// or http://.')
  }
}
