import { cutText } from './cut-text.ts'

/**
 * The names of a Key URI, whose label is `issuer:account`. Authenticator apps divide it at the first colon, even at an encoded one. Names
 * only identify the account: longer ones do not fit into a QR code in scripts that take 9 or 12 bytes per letter.
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export const keyUriNames = ({ issuer, account }: { readonly issuer: string; readonly account: string }) => ({
  issuer: cutText(withoutColons(issuer), 32),
  label: cutText(withoutColons(account), 48),
})

const withoutColons = (name: string): string => name.replace(/ ?: ?/g, '-')
