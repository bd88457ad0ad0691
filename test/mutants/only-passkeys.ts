import type { Mutant } from './mutant.ts'

const test = 'express/only-passkeys.test.ts'
const [open, decision, checks] = [
  'src/express/sign-in/open-challenge.ts',
  'src/challenge/policy.ts',
  'src/express/setup-checks/phishing-resistance.ts',
]
const policy = 'src/challenge/passkey-policy.ts'
const offers =
  'where passkeys are required, no other factor is offered, nothing is sent, and the page says a passkey is needed'

/** Other factors in an app, or on a route, that accepts only passkeys. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'the policy of the app narrows what its pages offer',
    file: decision,
    find: 'stricter(policy.phishingResistant, request.phishingResistant)',
    replace: 'stricter(policy && null, request.phishingResistant)',
    test,
    title: offers,
  },
  {
    defense: 'the policy of a route narrows what its pages offer',
    file: decision,
    find: 'stricter(policy.phishingResistant, request.phishingResistant)',
    replace: 'stricter(policy.phishingResistant, request && null)',
    test,
    title: offers,
  },
  {
    defense: 'the policy of the domain narrows what the pages offer',
    file: policy,
    find: "  return member?.phishingResistant?.[service.domainId] ?? 'off'",
    replace: "  return (member && service && undefined) ?? 'off'",
    test,
    title: offers,
  },
  {
    defense: 'no field for codes that do not count',
    file: 'src/express/pages/status-page.ts',
    find: ' || passkeyNeeded) return false',
    replace: ' || (passkeyNeeded && false)) return false',
    test,
    title: offers,
  },
  {
    defense: 'a passkey counts only for its own app',
    file: policy,
    find: 'passkeys.length > 0 : passkeys.includes(rpId)',
    replace: 'passkeys.length > 0 : passkeys.length > 0',
    test: 'express/phishing-resistance.test.ts',
    title: 'mfa() on a domain that prefers passkeys asks the device of a user whose passkey is for another app',
  },
  {
    defense: 'sessions carry the policy of the app, so that the service enforces it',
    file: 'src/challenge/push.ts',
    find: "    ...(phishingResistant === 'off' ? {} : { phishingResistant }),\n",
    replace: "    ...(phishingResistant === 'off' ? {} : {}),\n",
    test,
    title:
      'sessions of an app that requires passkeys carry its policy, which the service enforces, with the reason in the event',
  },
  {
    defense: 'an approval is redeemed under the policy of the app',
    file: 'src/challenge/service-1-4.ts',
    find: 'id, browser, phishingResistant, unknownBrowser),',
    replace: 'id, browser, phishingResistant && undefined, unknownBrowser),',
    test,
    title: 'an app that starts to require passkeys does not redeem an earlier request',
  },
  {
    defense: 'requireMfa() wants a passkey',
    file: decision,
    find: 'stricter(policy.phishingResistant, request.phishingResistant)',
    replace: 'stricter(policy.phishingResistant, request && null)',
    test,
    title: 'requireMfa({ phishingResistant }) is not satisfied by another factor, and leads to a step-up by passkey',
  },
  {
    defense: 'the gate wants a passkey, also of users who passed before',
    file: decision,
    find: "  if (!countsUnder(policy.phishingResistant, record)) return 'passkey_needed'\n",
    replace: '',
    test,
    title: 'an app that starts to require passkeys does not count what its users passed before',
  },
  {
    defense: 'a challenge that takes any factor is not reused',
    file: open,
    find: '    current.phishingResistant === requested.phishingResistant &&\n',
    replace: '',
    test,
    title: 'requireMfa({ phishingResistant }) opens a challenge of its own beside one that takes any factor',
  },
  {
    defense: 'no e-mail with a code that does not count',
    file: 'src/challenge/email-code.ts',
    find: '  if (!accepts({ service, member })) return',
    replace: '  if (!accepts({ service, member }) && false) return',
    test,
    title: 'e-mailed codes are not sent where the app prefers passkeys and the user has one',
  },
  {
    defense: 'no first device where it would not sign in',
    file: 'src/challenge/enrollment.ts',
    find: "  if (domainPolicy({ service, member }) === 'require') return",
    replace: "  if (domainPolicy({ service, member }) === 'require' && false) return",
    test,
    title: 'a new user of a domain that requires passkeys starts with a passkey, not a device or an authenticator app',
  },
  {
    defense: 'no first app where it would not sign in',
    file: 'src/express/self-service/app.ts',
    find: '  if (!signIn || !takesApp(request, signIn)) return { state',
    replace: '  if (!signIn || (!takesApp(request, signIn) && false)) return { state',
    test,
    title: 'a new user of a domain that requires passkeys starts with a passkey, not a device or an authenticator app',
  },
  {
    defense: 'no recovery codes where they would not sign in',
    file: 'src/challenge/own-factors.ts',
    find: "  return bypassEnabled && phishingResistant !== 'require'",
    replace: "  return bypassEnabled || phishingResistant === 'require'",
    test,
    title: 'a new user of a domain that requires passkeys is offered no recovery codes, as they would not sign in',
  },
  {
    defense: 'a browser that was recognized under less does not count under more',
    file: 'src/express/sign-in/remembered.ts',
    find: '  if (!countsUnder(resistanceIn(mfa.policy, false), { factor: null, phishingResistant })) return false\n',
    replace: '',
    test,
    title:
      'a remembered browser that one mfa() recognized passes no gate of a stricter one, or of one that remembers none',
  },
  {
    defense: 'a remembered browser does not stand in for a passkey',
    file: 'src/challenge/known-browser.ts',
    find: '  if (!member || !passes({ service, member })) return undefined',
    replace: '  if (!member || (!passes({ service, member }) && false)) return undefined',
    test,
    title: 'a remembered browser passes no gate where %s prefers passkeys and the user has one',
  },
  {
    defense: 'nor can one be had where passkeys are required',
    file: 'src/express/options/check-passkeys.ts',
    find: "  if (policy === 'require' && remember) {",
    replace: "  if (policy === 'require' && remember && false) {",
    test,
    title:
      'phishingResistant excludes remembered browsers where it requires passkeys, as they pass the gate without one',
  },
  {
    defense: 'an app without passkeys does not start with a policy for them',
    file: 'src/express/options/check-passkeys.ts',
    find: '  if (passkeys.off !== undefined) throw new TypeError',
    replace: '  if (passkeys.off !== undefined && false) throw new TypeError',
    test,
    title: 'phishingResistant is an error at startup with %j, as no passkey could ever pass',
  },
  {
    defense: 'nor with a service that knows none',
    file: checks,
    find: '  if (knowsFactors) return\n',
    replace: '  if (knowsFactors || true) return\n',
    test,
    title: 'phishingResistant: %s is an error at the first connection to a service that speaks only 1.3',
  },
  {
    defense: 'a key that is limited to one domain sees no policy of others',
    file: 'src/service/features/users/operations.ts',
    find: '  const phishingResistant = policy && { [limitedTo]: policy }\n',
    replace: '  const phishingResistant = policy && user.phishingResistant\n',
    test: 'service/features/factors/phishing-resistance.test.ts',
    title: 'each user’s record names the phishing resistance of domains, to a limited key only of its own domain',
  },
]
