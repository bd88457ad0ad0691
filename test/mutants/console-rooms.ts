import type { Mutant } from './mutant.ts'

const audit = 'service/console/audit.test.ts'

const domains = 'service/console/domains.test.ts'
const domainsFile = 'src/service/console/domains.ts'
const overview = 'service/console/overview.test.ts'
const overviewFile = 'src/service/console/overview.ts'

const auditPages = 'src/service/store/audit-pages.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the domains of an administrator in the audit trail',
    file: 'src/service/console/audit.ts',
    find: '    domainIds: await domainsFor(call, domain),\n',
    replace: '    domainIds: (await domainsFor(call, domain)) && null,\n',
    test: audit,
    title: 'shows entries of the own domains only to an administrator who is limited to them',
  },
  {
    defense: 'the domain that an administrator filters the audit trail by',
    file: 'src/service/console/scope.ts',
    find: "  await requireVisible({ db: call.store.db, administrator, now: call.clock.now() }, 'domain', { domainId })\n",
    replace: '',
    test: audit,
    title: 'does not know the domains of others in its filter',
  },
  {
    defense: 'the organization in the audit trail of the console',
    file: auditPages,
    find: "    .where('organizationId', '=', organizationId)\n    .where('position', '>', after)",
    replace:
      "    .where('organizationId', organizationId === '' ? '=' : 'is not', null)\n    .where('position', '>', after)",
    test: audit,
    title: 'says nothing of another organization, and of people who are not of the own domains',
  },
  {
    defense: 'the names of people of other domains in the audit trail',
    file: 'src/service/console/names.ts',
    find: '  return people.filter(({ id }) => visible.has(id))\n',
    replace: '  return people.filter(({ id }) => visible.has(id) || id !== undefined)\n',
    test: audit,
    title: 'says nothing of another organization, and of people who are not of the own domains',
  },
  {
    defense: 'the names of people of other organizations in the audit trail',
    file: 'src/service/console/names.ts',
    find: '  const people = all.filter((person) => person.organizationId === organizationId)\n',
    replace: '  const people = all.filter((person) => person.organizationId !== "" || organizationId === "")\n',
    test: audit,
    title: 'says nothing of another organization, and of people who are not of the own domains',
  },
  {
    defense: 'formulas in an export as CSV',
    file: 'src/service/rules/csv.ts',
    find: "  const safe = formula.test(text) ? `'${text}` : text\n",
    replace: '  const safe = formula.test(text) ? text : text\n',
    test: audit,
    title: 'is exported as CSV, in which no cell is calculated',
  },
  {
    defense: 'audit entries that commit after later ones',
    file: 'src/service/audit/pages.ts',
    find: 'now - settling)',
    replace: 'now)',
    test: audit,
    title: 'does not show entries that may still be overtaken by others',
  },
  {
    defense: 'the domains of an administrator in the overview',
    file: overviewFile,
    find: '.filter(({ id }) => limited === null || limited.includes(id))',
    replace: '.filter(({ id }) => limited === null || id !== "")',
    test: overview,
    title: 'shows nothing of other domains and organizations',
  },
  {
    defense: 'people of other domains among those who are locked',
    file: overviewFile,
    find: '  if (domainIds === null) return locked.length\n',
    replace: '  if (domainIds !== undefined) return locked.length\n',
    test: overview,
    title: 'shows nothing of other domains and organizations',
  },
  {
    defense: 'the health of the service, which belongs to no domain',
    file: overviewFile,
    find: '    ...(domainIds === null && {',
    replace: '    ...(domainIds !== undefined && {',
    test: overview,
    title: 'shows nothing of other domains and organizations',
  },
  {
    defense: 'requests of other domains in the overview',
    file: overviewFile,
    find: '.filter(isShown)),\n    reported',
    replace: '.filter((row) => isShown(row) || row !== undefined)),\n    reported',
    test: overview,
    title: 'shows nothing of other domains and organizations',
  },
  {
    defense: 'the version of the settings of a domain',
    file: domainsFile,
    find: '      if (settingsVersion(settingsIn(present)) !== version) throw await changedMeanwhile(db, call, domainId)\n',
    replace: '      if (version === "") throw await changedMeanwhile(db, call, domainId)\n',
    test: domains,
    title: 'keep the change that another administrator has made meanwhile, and say what it was',
  },
  {
    defense: 'the version of a domain, compared in the transaction of the change',
    file: domainsFile,
    find: '      if (settingsVersion(settingsIn(present)) !== version) throw await changedMeanwhile(db, call, domainId)\n',
    replace: '',
    test: domains,
    title: 'are changed once when several changes of one version arrive at once',
  },
  {
    defense: 'the version that a change of a domain needs',
    file: domainsFile,
    find: "  throw new ApiProblem('api.error.precondition', 'If-Match: expected the version of the domain, in quotes.')\n",
    replace: "  return ''\n",
    also: [
      {
        file: domainsFile,
        find: '      if (settingsVersion(settingsIn(present)) !== version)',
        replace: "      if (version !== '' && settingsVersion(settingsIn(present)) !== version)",
      },
    ],
    test: domains,
    title: 'are not changed without a version',
  },
  {
    defense: 'the domains that an administrator sees in the list',
    file: domainsFile,
    find: 'rows.filter(({ id }) => limited === null || limited.includes(id))',
    replace: "rows.filter(({ id }) => limited === null || id !== '')",
    test: domains,
    title: 'are listed by name, each administrator those it is given',
  },
  {
    defense: 'the API keys that an auditor of some domains sees',
    file: 'src/service/console/api-keys.ts',
    find: 'keys.filter((key) => isVisible(key))',
    replace: 'keys.filter((key) => isVisible(key) || domainIds !== null)',
    test: domains,
    title: 'show an auditor of some domains the API keys of these domains alone',
  },
]
