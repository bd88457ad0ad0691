import type { Mutant } from './mutant.ts'

const stock = 'service/console/stock.test.ts'
const store = 'src/service/store/stock.ts'
const handlers = 'src/service/console/stock.ts'
const changes = 'src/service/admin/stock.ts'

const stillAllowed = 'is not changed by an administrator whose access ended during the request'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the domains of an administrator in the stock of hardware tokens',
    file: handlers,
    find: '    everyone: domainIds === null ? 1 : 0,\n',
    replace: '    everyone: 1,\n',
    test: stock,
    title: 'shows nothing of other domains and organizations',
  },
  {
    defense: 'the organization in the stock of hardware tokens',
    file: store,
    find: "        .where('hardwareToken.organizationId', '=', of.organizationId)\n",
    replace: "        .where('hardwareToken.organizationId', 'is not', null)\n",
    test: stock,
    title: 'shows nothing of other domains and organizations',
  },
  {
    defense: 'the characters that the help desk enters before it sees a free token',
    file: handlers,
    find: "role === 'helpdesk' && text.length < helpDeskSerialLength ? 0 : 1",
    replace: "role === 'helpdesk' && text.length < 0 ? 0 : 1",
    test: stock,
    title: 'shows a free token to the help desk only by four characters of its serial number',
  },
  {
    defense: 'the rule that only administrators of every domain change the stock',
    file: 'src/service/console/authorize.ts',
    find: "userId === '' ? requireWholeOrganization(scope) : requireEveryDomain(scope, userId)",
    replace: "userId === '' ? undefined : requireEveryDomain(scope, userId)",
    test: stock,
    title: 'imports for an administrator of every domain only',
  },
  {
    defense: 'tokens of people, which are not deleted',
    file: store,
    find: "    .where('organizationId', '=', organizationId)\n    .where('userId', 'is', null),\n",
    replace: "    .where('organizationId', '=', organizationId),\n",
    test: stock,
    title: 'takes a free token away, and no token of a person',
  },
  {
    defense: 'the order of the two codes that resynchronize a token',
    file: 'src/service/rules/totp.ts',
    find: 'if (isSameText(codeOf(step + 1), second)) return',
    replace: 'if (second !== codeOf(step)) return',
    test: stock,
    title: 'refuses codes that do not follow each other, that were used, or that are too far away',
  },
  {
    defense: 'how far a token may be off when it is resynchronized',
    file: 'src/service/rules/totp.ts',
    find: 'const wideWindow = 10\n',
    replace: 'const wideWindow = 100\n',
    test: stock,
    title: 'refuses codes that do not follow each other, that were used, or that are too far away',
  },
  {
    defense: 'the access of the administrator, checked again while importing hardware tokens',
    file: 'src/service/admin/hardware-import.ts',
    find: '    await requireStillAllowed(db, ctx)\n',
    replace: '',
    test: stock,
    title: stillAllowed,
  },
  {
    defense: 'the access of the administrator, checked again while deleting a hardware token',
    file: changes,
    find: '    await requireStillAllowed(db, call)\n    if (',
    replace: '    if (',
    test: stock,
    title: stillAllowed,
  },
  {
    defense: 'the access of the administrator, checked again while resynchronizing a hardware token',
    file: changes,
    find: '    await requireStillAllowed(db, call)\n    const corrected',
    replace: '    const corrected',
    test: stock,
    title: stillAllowed,
  },
]
