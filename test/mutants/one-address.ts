import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'that a record counts for the user of the handler, and not for the one who came',
    file: 'src/express/verified-mfa.ts',
    find: '  if (verified && isSameUser(current, context)) return verified\n',
    replace: '  if (verified) return verified\n',
    test: 'express/step-up.test.ts',
    title: 'verifiedMfa() throws for another user, whom this request has signed in beside the web session',
  },
  {
    defense: 'what a handler requires of a record',
    file: 'src/express/verified-mfa.ts',
    find: 'verifiedOf(state, context, narrowTo(need)(context.mfa.policy))',
    replace: 'verifiedOf(state, context)',
    test: 'express/step-up.test.ts',
    title: 'verifiedMfa() requires what the handler asks for, and names the challenge that passes it',
  },
  {
    defense: 'naming no challenge to visitors, who could not pass it',
    file: 'src/express/verified-mfa.ts',
    find: "  if (!current || (current === 'unknown' && !context.user)) throw new MfaRequiredError(undefined, 'SIGN_IN_REQUIRED')\n",
    replace: '',
    test: 'express/step-up.test.ts',
    title: 'verifiedMfa() names no challenge while no user is signed in, who could not pass it',
  },
  {
    defense: 'ending no process by a user who cannot be looked up',
    file: 'src/express/verified-mfa.ts',
    find: '  current.catch(() => {})\n',
    replace: '',
    test: 'express/step-up.test.ts',
    title: 'verifiedMfa() names no challenge to a visitor where the app has to look its user up, even in vain',
  },
  {
    defense: 'protecting fields that are not listed',
    file: 'examples/shared/protect-schema.js',
    find: '      verifiedMfa(context.req)\n',
    replace: '',
    test: 'examples/frameworks.test.ts',
    title: 'graphql.js decides by fields, whatever %s says',
  },
  {
    defense: 'what the guard of a Nest app waits for',
    file: 'examples/nest/mfa.guard.ts',
    find: '(error) => (error ? reject(error) : resolve(true))',
    replace: '() => resolve(true)',
    test: 'examples/nest.test.ts',
    title: '@RequireMfa() passes no request on when it cannot be decided about',
  },
]
