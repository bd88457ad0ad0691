/**
 * Whether an address of the service needs neither an API key nor a web session: the device protocol, the authenticator, and the
 * page of a mail whose reader says that it was not them.
 * @param url Relative to where the service is mounted.
 */
export function isPublicPath(url: string): boolean {
  return /^\/(device|authenticator|not-me)(?=[/?]|$)/.test(url)
}
