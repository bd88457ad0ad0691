import type { Mutant } from './mutant.ts'

const apps = 'attacks/other-apps.test.ts'
const people = 'src/service/features/people/statements.ts'
const stock = 'src/service/features/people/stock-statements.ts'
const concern = 'src/service/features/administrators/concern.ts'

const byDevice = 'an administrator does not find people by the name of a device in another app, however they search'
const reads = 'reads nothing of another app by %s'

const figures = 'the overview counts a device and codes by e-mail only in their own app, as its lists do'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the people with the e-mail address of a colleague',
    file: concern,
    find: 'namesakes.filter((id) => visible.has(id))',
    replace: 'namesakes',
    test: apps,
    title: 'an administrator does not learn of people in another app from colleagues with the same e-mail address',
  },
  {
    defense: 'the people whom the session of an administrator names',
    file: 'src/service/features/administrators/sessions.ts',
    find: 'await asSeenBy(db, signedIn, await findAdministrator(ctx, organizationId, signedIn.id))',
    replace: 'await findAdministrator(ctx, organizationId, signedIn.id)',
    test: apps,
    title: 'an administrator does not learn of people in another app from their own e-mail address and record',
  },
  {
    defense: 'the domains of the browsers that the page of a person names',
    file: 'src/service/features/people/console.ts',
    find: 'await browsersOf(call, userId, summary.domains)',
    replace: 'await browsersOf(call, userId, has?.domainIds ?? [])',
    test: 'service/features/people/console.test.ts',
    title: 'an administrator of one domain sees browsers that a person keeps there, not elsewhere, until they end',
  },
  {
    defense: 'the domain of a device that a filter looks for',
    file: 'src/service/features/people/filters.ts',
    find: "isToken('token.domainId', 'in', domainIds)",
    replace: "isToken('token.domainId', '<>', '')",
    test: 'service/features/people/overview.test.ts',
    title: figures,
  },
  {
    defense: 'the domain of codes by e-mail that a filter looks for',
    file: 'src/service/features/people/pages.ts',
    find: 'all.filter(({ id }) => limited === null || limited.includes(id))',
    replace: 'all',
    test: 'service/features/people/overview.test.ts',
    title: figures,
  },
  {
    defense: 'the domains that send codes, for the overview',
    file: 'src/service/features/people/overview-statements.ts',
    find: '${domain[switchOf(factor)]} = 1`',
    replace: '${domain[switchOf(factor)]} < 2`',
    test: 'service/features/people/overview.test.ts',
    title: figures,
  },
  {
    defense: 'the domain of a device that the overview counts',
    file: 'src/service/features/people/overview-statements.ts',
    find: "isToken('token.domainId', '=', domain.id)",
    replace: "isToken('token.domainId', '<>', domain.id)",
    test: 'service/features/people/overview.test.ts',
    title: figures,
  },
  {
    defense: 'the domains of what a search finds',
    file: people,
    find: "    .whereRef('user.sequence', '=', 'searchRow.position')\n    .where((is) => isRowVisible(is, slots))\n    .where((is) => is.and(furtherWords(slots).map((word)",
    replace:
      "    .whereRef('user.sequence', '=', 'searchRow.position')\n    .where((is) => is.and(furtherWords(slots).map((word)",
    test: apps,
    title: byDevice,
  },
  {
    defense: 'the domains of what a search for hardware tokens finds',
    file: people,
    find: "    .whereRef('user.sequence', '=', 'searchRow.position')\n    .where((is) => isRowVisible(is, slots))\n    .where((is) => is.and(furtherWords(slots).map((word)",
    replace:
      "    .whereRef('user.sequence', '=', 'searchRow.position')\n    .where((is) => is.and(furtherWords(slots).map((word)",
    test: apps,
    title: 'an administrator does not find hardware tokens by the name of a device in another app',
  },
  {
    defense: 'the domains of what has a further word of a search',
    file: people,
    find: "        .whereRef('searchRow.id', '=', 'userSearch.rowid')\n        .where((isRow) => isRowVisible(isRow, visible)),\n",
    replace: "        .whereRef('searchRow.id', '=', 'userSearch.rowid'),\n",
    test: apps,
    title: byDevice,
  },
  {
    defense: 'the domains of what has a further word of a search that is in no index',
    file: people,
    find: "        .whereRef('searchRow.position', '=', 'user.sequence')\n        .where((isRow) => isRowVisible(isRow, visible))\n",
    replace: "        .whereRef('searchRow.position', '=', 'user.sequence')\n",
    test: apps,
    title: byDevice,
  },
  {
    defense: 'the domains of what a search by short words finds',
    file: people,
    find: "    .where((is) => isRowVisible(is, slots))\n    .where('user.organizationId', '=', slots.organizationId)\n",
    replace: "    .where('user.organizationId', '=', slots.organizationId)\n",
    test: apps,
    title: byDevice,
  },
  {
    defense: 'the domains of the people whom a list counts',
    file: 'src/service/features/people/filters.ts',
    find: '    .where((is) => conditions[filter](is, slots))\n    .where((is) => isVisible(is, slots))\n',
    replace: '    .where((is) => conditions[filter](is, slots))\n',
    test: 'service/features/people/console.test.ts',
    title: 'a people search says how many it finds and at which number a page begins',
  },
  {
    defense: 'wildcards in a search for hardware tokens',
    file: stock,
    find: 'const beginning = `${escaped(text)}%`',
    replace: 'const beginning = `${text}%`',
    test: apps,
    title: 'an administrator who searches for %s lists neither people nor hardware tokens',
  },
  {
    defense: 'wildcards in a short search for people',
    file: 'src/service/features/people/search-words.ts',
    find: 'const pattern = `%${escaped(word)}%`',
    replace: 'const pattern = `%${word}%`',
    test: apps,
    title: 'an administrator who searches for %s lists neither people nor hardware tokens',
  },
  {
    defense: 'the administrators and invitations of other apps',
    file: concern,
    find: 'colleagues.filter((candidate) => isConcernedBy(administrator, candidate))',
    replace: 'colleagues',
    test: apps,
    title: reads,
  },
  {
    defense: 'the other domains of an administrator',
    file: concern,
    find: 'colleague.domains.filter((id) => domainIds.includes(id))',
    replace: 'colleague.domains',
    test: apps,
    title: reads,
  },
  {
    defense: 'the administrators of other apps in the path of an operation',
    file: 'src/service/features/administrators/scope.ts',
    find: 'return isConcernedBy(administrator, { role: other.role, domains })',
    replace: 'return domains.length >= 0',
    test: apps,
    title: 'an administrator does not see administrators and invitations of another app',
  },
  {
    defense: 'the devices of a person in other apps',
    file: 'src/service/features/users/belongings.ts',
    find: '(await activeTokensOf(db, userIds)).filter(counts)',
    replace: 'await activeTokensOf(db, userIds)',
    test: apps,
    title: 'an administrator does not see that a person has a device in another app',
  },
  {
    defense: 'the name of a person whom the requester of a consent sees no more',
    file: 'src/service/features/administrators/consents.ts',
    find: 'const isNamed = person && (domainIds === null || (await isMemberOfSome(call.store.db, person.id, domainIds)))',
    replace: 'const isNamed = person && domainIds !== undefined',
    test: 'service/features/administrators/consents.test.ts',
    title: 'a request for consent does not name the person once the requester sees the person no more',
  },
]
