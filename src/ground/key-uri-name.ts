/**
 * A name for the label of a Key URI, `issuer:account`: authenticator apps divide it at the first colon, even at an encoded one.
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export const keyUriName = (name: string): string => name.replace(/ ?: ?/g, '-')
