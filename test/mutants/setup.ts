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
  {
    defense: 'the organization and the domain that an app has, under whatever name',
    file: 'src/service/administration/app-domain.ts',
    find: 'return own ?? all.find',
    replace: 'return all.find',
    test: 'service/app-names.test.ts',
    title: 'follow the name of the app, and lead to the same domain for the same web sessions',
  },
  {
    defense: 'names that an administrator gave',
    file: 'src/service/administration/app-domain.ts',
    find: '  if (own.appName !== null && own.appName !== own.name) return\n',
    replace: '',
    test: 'service/app-names.test.ts',
    title: 'leave a domain alone that an administrator renamed, and still lead to it',
  },
]
