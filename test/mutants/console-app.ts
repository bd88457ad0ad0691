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
    defense: 'an answer that was overtaken does not replace the newer one',
    file: 'src/console/use-load.ts',
    find: '    if (present.current !== key) return\n',
    replace: '',
    test: 'console/people.test.ts',
    title: 'show the results of the last letters',
  },
  {
    defense: 'what a page asks for by itself does not keep a session alive',
    file: 'src/console/screens/approvals.tsx',
    find: 'approvals.reload(true)',
    replace: 'approvals.reload(false)',
    test: 'console/people.test.ts',
    title: 'are looked for without keeping the session of an absent administrator alive',
  },
  {
    defense: 'a code is shown once',
    file: 'src/console/screens/person.tsx',
    find: '<CodeDialog shown={shown} onClose={() => setShown(undefined)} />',
    replace: '<CodeDialog shown={shown} onClose={() => {}} />',
    test: 'console/people.test.ts',
    title: 'gets a recovery code from an admin, which is shown once',
  },
  {
    defense: 'the help desk is led to another administrator',
    file: 'src/console/parts/action-dialog.tsx',
    find: "if (!hasCode(error, 'api.error.forbidden.guarded')) throw error",
    replace: 'throw error',
    test: 'console/people.test.ts',
    title: 'is reset by the help desk only after another administrator has approved it',
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
