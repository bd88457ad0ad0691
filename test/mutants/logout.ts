import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'checking where a sign-out comes from',
    file: 'src/express/routes.ts',
    find: 'if (isPost && !isTrusted(request, below)) {',
    replace: "if (isPost && below !== '/sign-out' && !isTrusted(request, below)) {",
    test: 'express/log-out.test.ts',
    title: 'a sign-out that is not known to come from the app is rejected: %s',
  },
  {
    defense: 'signing out by POST alone',
    file: 'src/express/routes.ts',
    find: "'/sign-out': { POST: logOut }",
    replace: "'/sign-out': { GET: logOut, POST: logOut }",
    test: 'express/log-out.test.ts',
    title: 'a sign-out from another site by a link or an image is rejected',
  },
  {
    defense: 'ending the second step when mfa() signs out',
    file: 'src/express/app-login/log-out.ts',
    find: "state: 'end'",
    replace: "state: 'as-is'",
    test: 'express/log-out.test.ts',
    title: 'the option logout also ends the second step if the app keeps its web session and answers at once',
  },
  {
    defense: 'ending the second step before the login',
    file: 'src/express/app-login/log-out.ts',
    find: "state: 'end'",
    replace: "state: 'remove'",
    test: 'express/log-out.test.ts',
    title: 'the option logout passes errors to the app, and leaves nobody verified, with a handler %s',
  },
  {
    defense: 'an outage after an effect does not bring the state before it back',
    file: 'src/express/apply.ts',
    find: 'const current = { ...request, state: readMfaState(request.req, request.context) }',
    replace: 'const current = request',
    test: 'express/log-out.test.ts',
    title: 'a logout handler that fails like the service leaves nobody verified, even if failMode lets the user pass',
  },
]
