import type { Mutant } from './mutant.ts'

const web = { test: 'express/optional-fields.test.ts' } as const
const mail = { test: 'service/engine/mail/nodemailer-versions.test.ts' } as const

export const mutants: readonly Mutant[] = [
  {
    ...web,
    defense: 'names and addresses that stop no request',
    file: 'src/express/request/app-user.ts',
    find: 'if (omitted.length === 0) {',
    replace: 'if (omitted.length >= 0) {',
    title: 'stops no request, and decides about no user: %j',
  },
  {
    ...web,
    defense: 'one warning for all users',
    file: 'src/express/request/app-user.ts',
    find: '`unusable ${member}`',
    replace: '`unusable ${member} ${Math.random()}`',
    title: 'a name or e-mail address that cannot be used is left out, with one warning: %j',
  },
  {
    ...web,
    defense: 'users whose name or address another service rejects',
    file: 'src/challenge/user.ts',
    find: '|| !member || rest',
    replace: '|| member || rest',
    title: 'a name or e-mail address that a stricter service rejects is left out, with one warning',
  },
  {
    defense: 'users without an address in 1.3',
    file: 'src/challenge/service-1-3.ts',
    find: 'user.email ?? noMailbox(user.username)',
    replace: "user.email ?? ''",
    test: 'express/service-1.3.test.ts',
    title: 'a 1.3 service gets an undeliverable address for a new user without one, who may still sign in: %j',
  },
  {
    defense: 'what is stored of a known user',
    file: 'src/service/features/users/synchronization-stage.ts',
    find: "email ?? existing?.email ?? ''",
    replace: "email ?? ''",
    test: 'service/features/users/synchronize.test.ts',
    title:
      'a synchronization reports unusable names and addresses in 1.4, rejects no row and keeps what known users have',
  },
  {
    ...mail,
    defense: 'the one address of a mail',
    file: 'src/service/engine/mail/mailer.ts',
    find: "const address = { name: '', address: to }",
    replace: 'const address = to',
    title: 'mail reaches one mailbox by nodemailer %s, whatever an address contains',
  },
  {
    ...mail,
    defense: 'the characters of an address',
    file: 'src/contract/users.ts',
    find: '/^[^\\s\\p{Cc}\\p{Cs}\\p{Bidi_Control}<>]+@[^\\s\\p{Cc}\\p{Cs}\\p{Bidi_Control}<>@]+$/u',
    replace: '/^[^]+@[^@]+$/u',
    title: '%j is rejected as an e-mail address',
  },
]
