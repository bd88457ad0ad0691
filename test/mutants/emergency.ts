import type { Mutant } from './mutant.ts'

const test = 'express/emergency.test.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the end of an emergency',
    file: 'src/express/options/emergency.ts',
    find: '  return left > 0 && left <= maxDuration\n',
    replace: '  return left <= maxDuration\n',
    test,
    title: 'an emergency stores nothing, so that everything is as before when it is over',
  },
  {
    defense: 'the longest emergency',
    file: 'src/express/options/emergency.ts',
    find: '  return left > 0 && left <= maxDuration\n',
    replace: '  return left > 0\n',
    test,
    title: '%s opens nothing, and says why',
  },
  {
    defense: 'asking the clock about an emergency each time',
    file: 'src/express/request/emergency.ts',
    find: 'if (until === undefined || !isEmergency(until, clock)) return false',
    replace: 'if (until === undefined) return false',
    test,
    title: 'an emergency does not become longer when the clock is set back',
  },
  {
    defense: 'that only users who are signed in pass in an emergency',
    file: 'src/express/require-mfa.ts',
    find: "  if (!user) return 'nobody'\n  if (isLaterUser(context, user)) return 'later_user'\n",
    replace: '',
    also: [{ file: 'src/express/require-mfa.ts', find: 'if (!user || decision', replace: 'if (decision' }],
    test,
    title: 'an emergency opens nothing to visitors who are not signed in',
  },
  {
    defense: 'requireMfa() for users whom the gate does not ask',
    file: 'src/express/require-mfa.ts',
    find: "requirement === 'never' ? 'not_required' : unless()",
    replace: "requirement === 'here' ? unless() : 'not_required'",
    test: 'express/gate.test.ts',
    title: 'requireMfa() lets only users pass whom the option required exempts everywhere, and only while it says so',
  },
]
