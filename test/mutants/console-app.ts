import type { Mutant } from './mutant.ts'

/** What the console does in the browser. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'the token of an invitation leaves the address at once',
    file: 'src/console/invitation.ts',
    find: '  history.replaceState(history.state,',
    replace: '  void (history.state,',
    test: 'console/app.test.ts',
    title: 'leaves its token in no address',
  },
  {
    defense: 'a change says which version it is about',
    file: 'src/console/screens/administrator.tsx',
    find: '      setBefore(now)\n',
    replace: '',
    test: 'console/app.test.ts',
    title: 'sees what another owner changed in the meantime',
  },
  {
    defense: 'what an administrator chose is not saved over a change that it has not seen',
    file: 'src/console/screens/administrator.tsx',
    find: '      showProblem(words.accessNow',
    replace:
      '      await client.call(`PUT /admin/administrators/:administratorId`, { params, body: accessOf(access) }, now.version)\n      showProblem(words.accessNow',
    test: 'console/app.test.ts',
    title: 'sees what another owner changed in the meantime',
  },
  {
    defense: 'a change asks for the passkey only when the service does, and once',
    file: 'src/console/client/client.ts',
    find: "if (!hasCode(error, 'api.error.forbidden.fresh')) throw error",
    replace: 'throw error',
    test: 'console/app.test.ts',
    title: 'is asked for the passkey before a change',
  },
  {
    defense: 'a session that has ended leads to the sign-in',
    file: 'src/console/client/client.ts',
    find: 'error.status === 401',
    replace: 'error.status === 400',
    test: 'console/app.test.ts',
    title: 'signs an administrator out and revokes the access',
  },
]
