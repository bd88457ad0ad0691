import type { Mutant } from './mutant.ts'

const test = 'express/other-users-pages.test.ts'

/** What a page that was left over from one user cannot do for another. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'trying no code of a page that was made for another user',
    file: 'src/express/routes.ts',
    find: "  if (isPost && isLeftOver(request, below)) return apply(request, res, message(request, 403, 'cross_site'))\n",
    replace: '',
    test,
    title:
      'a challenge page of another user tries no code for the user who has signed in since, and says that nothing was changed',
  },
  {
    defense: 'removing nothing by a page that was made for another user',
    file: 'src/challenge/page-token.ts',
    find: 'return secret !== undefined && mark !== markOf(secret, userKey)',
    replace: 'return false',
    test,
    title:
      'the page of another user’s devices removes nothing of the user who has signed in since, and interrupts nothing for a confirmation',
  },
  {
    defense: 'a token of their own for users who sign in to a web session that was kept',
    file: 'src/express/request/form.ts',
    find: ' && !isOfOtherUser(state.page, userKey)',
    replace: '',
    test,
    title: 'the pages of one user have a token of that user, also in a web session that an app has kept for them',
  },
]
