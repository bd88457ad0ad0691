import type { Mutant } from './mutant.ts'

const planted = {
  file: 'src/express/session/id-cookie.ts',
  test: 'attacks/planted-session-id.test.ts',
} as const

const listed = { file: 'src/express/session/id-cookie.ts', test: 'express/cookies.test.ts' } as const

export const mutants: readonly Mutant[] = [
  {
    ...planted,
    defense: 'the __Host- names below a prefix',
    find: '    isSecure(req, context) ? `__Host-',
    replace: "    isSecure(req, context) && context.prefix === '' ? `__Host-",
    title: 'below a prefix, a cookie of another host cannot make a user set up a known seed: %s',
  },
  {
    ...planted,
    defense: 'the one name of the cookie that a seed is bound to',
    find: "createIdCookie('mfa-setup')",
    replace: "createIdCookie('mfa-setup', { formerName: true })",
    also: [
      {
        file: 'src/express/session/id-cookie.ts',
        find: "createIdCookie('mfa-binding')",
        replace: "createIdCookie('mfa-binding', { formerName: true })",
      },
    ],
    title: 'below a prefix, a cookie of another host cannot make a user set up a known seed: %s',
  },
  {
    ...planted,
    defense: 'the names of cookies as browsers compare them',
    find: "part.replace(/^[ \\t]+/, '')",
    replace: 'part.trim()',
    title: 'below a prefix, a cookie of another host cannot make a user set up a known seed: %s',
  },
  {
    ...listed,
    defense: 'the mount in the names below a prefix',
    find: "prefix === '' ? '' : `-",
    replace: "prefix !== 'never' ? '' : `-",
    title: 'do not collide with those of another app of the host',
  },
  {
    ...listed,
    defense: 'Secure',
    find: "...(secure ? ['Secure'] : [])",
    replace: '...(secure ? [] : [])',
    title: 'contains every cookie of an app over %s, and no other',
  },
  {
    ...listed,
    defense: 'the former names of cookies',
    find: '?? readFormer(req, context),\n    write',
    replace: ',\n    write',
    title: 'below a prefix, a remembered browser’s cookies are read under their former names, and renamed',
  },
  {
    ...listed,
    file: 'src/express/sign-in/remembered.ts',
    defense: 'the confirmation by the service before a cookie is renamed',
    find: '    if (recognition === undefined) return undefined\n',
    replace:
      "    if (recognition === undefined) return { state: 'as-is', cookies: browserCookie.write(req, context, { id: browser, seconds: 1 }) }\n",
    title:
      'below a prefix, cookies are not renamed for a user who does not have them: another host may have planted them',
  },
  {
    ...listed,
    file: 'src/service/features/administrators/cookie.ts',
    defense: 'the prefix of the console cookie',
    find: "createCookie('__Host-mfa-console'",
    replace: "createCookie('mfa-console'",
    title: 'contains the cookie of the console over %s',
  },
  {
    ...listed,
    file: 'src/service/features/administrators/cookie.ts',
    defense: 'the name of the console cookie as browsers compare it',
    find: '(?:^|;)[ \\\\t]*',
    replace: '(?:^|;)\\\\s*',
    title: 'the console does not read a cookie whose name browsers do not see as one with a prefix',
  },
]
