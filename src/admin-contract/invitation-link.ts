/**
 * The link of an invitation. Its token is in the fragment, which browsers send to no server and write into no Referer.
 * @param consoleUrl The address of the console, such as `https://console.example.com/console`.
 */
export const invitationLink = (consoleUrl: string, token: string): string =>
  `${consoleUrl.replace(/\/$/, '')}/invitation#${token}`
