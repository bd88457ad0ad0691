import { InvalidArgumentError, Option } from 'commander'

import { httpUrl } from '../../contract/activation-link.ts'

/** The address that links with activation codes lead to. */
export const authenticatorUrlOption = (description: string): Option =>
  new Option('--authenticator-url <url>', description).env('MFA_AUTHENTICATOR_URL').argParser(parseAddress)

function parseAddress(text: string): string {
  // An empty variable is one that is not set.
  if (text === '' || httpUrl(text)) return text
  throw new InvalidArgumentError('Expected an address that begins with https:// or http://.')
}
