import type { Mutant } from './mutant.ts'

const feature = 'src/service/features/imported-factors'
const users = `${feature}/import-users.ts`
const tests = 'service/features/imported-factors'
const operations = `${tests}/operations.test.ts`
const formats = `${tests}/files/common-formats.test.ts`

export const mutants: readonly Mutant[] = [
  {
    defense: 'that an import of factors gives a first factor only',
    file: users,
    find: "if (!(await hasApp(call, user.id, app))) return rejected('enrolled')",
    replace: "if (!(await hasApp(call, user.id, app))) return { outcome: 'stored' }",
    test: operations,
    title: 'an import rejects a user with %s',
    also: [
      {
        file: 'src/service/features/users/enrollment.ts',
        find: "    .where('everEnrolled', '=', 0)\n    .returning('id'),",
        replace: "    .returning('id'),",
      },
    ],
  },
  {
    defense: 'that an import brings back no app after a reset',
    file: users,
    find: "if (user.importState === 'closed') return rejected('reset')",
    replace: '',
    test: `${tests}/import-users.test.ts`,
    title: 'an import does not bring back the app of a user whose factors an administrator removed',
  },
  {
    defense: 'the comparison of an imported app with the one that is there',
    file: users,
    find: 'return secrets.open(seed, { kind:',
    replace: 'return false && secrets.open(seed, { kind:',
    test: operations,
    title: 'an import of the same app changes nothing, and a code that was used stays used',
  },
  {
    defense: 'the role of keys that import factors',
    file: 'src/contract/factor-import.ts',
    find: "  since: '1.4',",
    replace: "  role: 'auth',\n  since: '1.4',",
    test: operations,
    title: 'only keys of administrators import factors',
  },
  {
    defense: 'that unfinished enrollments are not imported',
    file: `${feature}/files/read-row.ts`,
    find: 'if (finished.includes(false)) return { line, reason: unfinished }',
    replace: '',
    test: `${tests}/files/better-auth.test.ts`,
    title: 'an enrollment that was never finished is rejected: %j',
  },
  {
    defense: 'that an unknown column of factors stops the file',
    file: `${feature}/files/fields.ts`,
    find: 'isHarmless: (name) => isHarmless(name) ||',
    replace: 'isHarmless: (name) => name.length > 0 ||',
    test: formats,
    title: 'is refused as a whole, without being quoted: %s',
  },
  {
    defense: 'that the parameters of an app are said once, or alike',
    file: `${feature}/files/read-app.ts`,
    find: 'if (values.size > 1) return { reason: `${name}: is said twice, and differently` }',
    replace: '',
    test: formats,
    title: 'a row is rejected, without being quoted: %s',
  },
  {
    defense: 'that slow hashes of recovery codes are refused',
    file: `${feature}/files/read-recovery.ts`,
    find: 'code.length <= maxCodeLength && /^[\\dA-Za-z-]+$/.test(code) && !isWord(code)',
    replace: '!isWord(code)',
    test: formats,
    title: 'are refused one by one, and the app is imported: %s',
    also: [
      { file: `${feature}/files/read-recovery.ts`, find: 'if (slowHash.test(code)) return undefined', replace: '' },
    ],
  },
  {
    defense: 'that one of several apps of a person is not chosen silently',
    file: `${feature}/rules.ts`,
    find: 'if (keep === undefined) return { reason: `${several}: --keep newest or --keep oldest chooses` }',
    replace: '',
    test: 'cli/admin/factor-import.test.ts',
    title: 'second-factor factor import rejects two apps of one person, unless it is told which to keep',
  },
  {
    defense: 'that an import adds no users unless it is told to',
    file: users,
    find: "return addUsers ? { outcome: 'stored' } : rejected('unknown_user')",
    replace: "return addUsers || true ? { outcome: 'stored' } : rejected('unknown_user')",
    test: operations,
    title: 'an import adds users only if it says so, to the organization and to the domain',
  },
  {
    defense: 'that a token that counts is no app of the same seed',
    file: users,
    find: 'if (counter !== null) return false',
    replace: '',
    test: operations,
    title: 'an import rejects the seed of a token that counts, which shows other codes',
  },
]
