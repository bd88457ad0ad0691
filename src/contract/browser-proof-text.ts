/**
 * The text that the page signs.
 * @param challengeHash SHA-256 of the challenge, base64url: the page does not learn the challenge itself.
 */
export const browserProofText = (challengeHash: string, origin: string): string =>
  `second-factor browser key\n${challengeHash}\n${origin}`
