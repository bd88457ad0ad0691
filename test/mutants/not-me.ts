import type { Mutant } from './mutant.ts'

const service = 'service/features/mail-reports/mail-reports.test.ts'
const report = 'src/service/features/mail-reports/report.ts'
const routes = 'src/service/features/mail-reports/routes.ts'
const statements = 'src/service/features/mail-reports/statements.ts'

/** The link "This wasn’t me" of a mail: what it does, how often, and what it leaves alone. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'that a link of a mail acts once',
    file: report,
    find: '    if (!(await useMailReport(db, hash, now))) return\n',
    replace: '    await useMailReport(db, hash, now)\n',
    test: service,
    title: 'the report link of a mail acts once, even when it is submitted many times at once',
  },
  {
    defense: 'that a link of a mail changes nothing by a read',
    file: routes,
    find: "if (method === 'POST' && secret !== undefined)",
    replace: 'if (secret !== undefined)',
    test: service,
    title: 'a %s of the report link changes nothing, because mail programs follow links',
  },
  {
    defense: 'that a link of a mail ends after seven days',
    file: statements,
    find: "    .where('expiresAt', '>', now)\n",
    replace: '',
    test: service,
    title: 'the report link of a mail works for seven days',
  },
  {
    defense: 'that a link of a mail pauses requests',
    file: report,
    find: 'await pausePushes(ctx, db, { domainId, userId })',
    replace: 'void domainId',
    test: service,
    title: 'the report link of a mail pauses requests in every app, ends web sessions and notifies the owners',
  },
  {
    defense: 'that a link of a mail ends web sessions',
    file: report,
    find: '    await endSessionsButKeys(db, userId)\n',
    replace: '',
    test: service,
    title: 'the report link of a mail pauses requests in every app, ends web sessions and notifies the owners',
  },
  {
    defense: 'that a link of a mail ends no kept browser',
    file: report,
    find: 'await endSessionsButKeys(db, userId)',
    replace: "await db.deleteFrom('knownBrowser').where('userId', '=', userId).execute()",
    test: service,
    title: 'the report link of a mail removes neither factors nor kept browsers',
  },
  {
    defense: 'that the database holds no secret of a link',
    file: 'src/service/features/mail-reports/links.ts',
    find: 'secretHash: hashSecret(secret)',
    replace: 'secretHash: secret',
    also: [
      { file: report, find: 'hashSecret(secret), clock.now()', replace: 'secret, clock.now()' },
      { file: report, find: 'const hash = hashSecret(secret)', replace: 'const hash = secret' },
    ],
    test: service,
    title: 'the service stores the report link of a mail only as a hash',
  },
  {
    defense: 'that owners are told',
    file: report,
    find: '    await mailOwnersOfReport(db, ctx, report)\n',
    replace: '',
    test: service,
    title: 'the report link of a mail pauses requests in every app, ends web sessions and notifies the owners',
  },
  {
    defense: 'that the page of a link names its address to no other page',
    file: 'src/service/features/mail-reports/page.ts',
    find: "  'Referrer-Policy': 'no-referrer',\n",
    replace: '',
    test: service,
    title: 'a %s of the report link changes nothing, because mail programs follow links',
  },
  {
    defense: 'that mails to owners have no such link',
    file: 'src/service/engine/mail/security-mail.ts',
    find: 'linkFor && isDisownable(mail)',
    replace: 'linkFor',
    test: 'service/engine/mail/mail.test.ts',
    title: 'the link This wasn’t me is in no mail that follows a report or is not about its reader: %s',
  },
]
