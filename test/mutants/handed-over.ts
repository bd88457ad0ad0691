import type { Mutant } from './mutant.ts'

const test = 'express/handed-over-code.test.ts'
const [code, add] = ['src/express/sign-in/handed-over-code.ts', 'src/express/self-service/first-passkey.ts']

/** Codes that administrators hand over to users who need a passkey. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'the code of an administrator changes factors, and does not sign in',
    file: code,
    find: "    const newChallenge = { ...challenge, purpose: 'change_devices', action: undefined } as const",
    replace: '    const newChallenge = { ...challenge, action: undefined } as const',
    test,
    title: 'a handed-over code leads to a new passkey, and only that verifies the web session',
  },
  {
    defense: 'it is taken only where nothing but a passkey counts',
    file: code,
    find: '    needsOnlyPasskey(policy, membership)',
    replace: '    (needsOnlyPasskey(policy, membership) || true)',
    test,
    title: 'a handed-over code does not count where other factors are accepted',
  },
  {
    defense: 'the app decides whether bypass codes change factors',
    file: code,
    find: "    devices.factors.includes('bypass') &&\n",
    replace: '',
    test,
    title: 'the page for users without a required passkey has no field where bypass codes change nothing in this app',
  },
  {
    defense: 'the web session gets a new id with the pass',
    file: code,
    find: '    state: { renew: { ...state, challenge: { ...challenge,',
    replace: '    state: { save: { ...state, challenge: { ...challenge,',
    test,
    title: 'a handed-over code renews the session id, so that an attacker who knows the old one adds no passkey',
  },
  {
    defense: 'the pass ends',
    file: code,
    find: '  return isBeforeEnd(passkeyPass.until, devices.maxAge, clock.now()) ? passkeyPass.sessionId : undefined',
    replace: '  return isBeforeEnd(passkeyPass.until, devices.maxAge, 0) || clock ? passkeyPass.sessionId : undefined',
    test,
    title: 'a handed-over code is worth nothing ten minutes after it was entered',
  },
  {
    defense: 'the pass is used up by one passkey',
    file: add,
    find: ', passkeyPass: undefined } },',
    replace: ' } },',
    test,
    title: 'a handed-over code allows only one passkey',
  },
  {
    defense: 'the event says why a right code did not count',
    file: 'src/challenge/code.ts',
    find: "  if (reason !== 'phishing_resistance_required' && reason !== 'unknown_browser') {",
    replace:
      "  if ((reason !== 'phishing_resistance_required' && reason !== 'unknown_browser') || triesLeft !== undefined) {",
    test,
    title: 'where a handed-over code is expected, other codes lead nowhere: %s, with the reason in the event',
  },
]
