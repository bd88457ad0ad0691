import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'an app that is not set up right is no outage',
    file: 'src/challenge/service.ts',
    find: '[UnreachableError, ApiError, SetupError].some(',
    replace: '[UnreachableError, ApiError].some(',
    test: 'express/failure.test.ts',
    title: 'is not asked where the app is not set up: that is a 500, with its reason in the log and for nobody else',
  },
  {
    defense: 'an error that is no outage is answered by Express',
    file: 'src/express/unavailable.ts',
    find: '  if (!isTrouble(error)) throw error\n',
    replace: '',
    test: 'express/failure.test.ts',
    title: 'is not asked where the app is not set up: that is a 500, with its reason in the log and for nobody else',
  },
]
