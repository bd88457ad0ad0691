/** The words that people use. */
export const pinWord = { PIN: 'PIN', PASSCODE: 'passcode' } as const
