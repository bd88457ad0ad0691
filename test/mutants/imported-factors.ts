import type { Mutant } from './mutant.ts'

const test = 'service/features/imported-factors/store.test.ts'
const cautious = 'service/features/imported-factors/files/cautious.test.ts'

/** Factors that another system made. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'importing factors only for people who never had one',
    file: 'src/service/features/users/enrollment.ts',
    find: "    .where('everEnrolled', '=', 0)\n    .returning('id'),",
    replace: "    .returning('id'),",
    test,
    title: 'nothing is stored for a person who has a factor',
  },
  {
    defense: 'importing no factors after a reset',
    file: 'src/service/features/users/enrollment.ts',
    find: "hadCodes: 0, importState: 'closed', importedCodes: 0",
    replace: 'hadCodes: 0, importedCodes: 0',
    test: 'service/features/imported-factors/store.test.ts',
    title: 'a reset says that they must not be imported again, also of people who had none',
  },
  {
    defense: 'marking people after a restore whose factors were not imported',
    file: 'src/service/upkeep/restored-statements.ts',
    find: "  await db.updateTable('user').set({ importState: 'restored' }).where('importState', '=', 'open').execute()\n",
    replace: '',
    test,
    title: 'after a restore, people whose factors were not imported are marked: a reset may have been lost',
  },
  {
    defense: 'looking an imported recovery code up among those of its person',
    file: 'src/service/features/bypass-codes/forms.ts',
    find: 'return formsOfTyped(code).flatMap((form) => secrets.lookups(bypassCodeText(userId, form)))',
    replace: "return formsOfTyped(code).flatMap((form) => secrets.lookups(bypassCodeText('', form)))",
    test,
    title: 'a recovery code %s is accepted once',
  },
  {
    defense: 'never showing imported recovery codes',
    file: 'src/service/features/bypass-codes/rules.ts',
    find: "storedCode.includes(':')",
    replace: "storedCode.startsWith('scrypt:')",
    test,
    title: 'imported recovery codes are never shown, and leave room for five others',
  },
  {
    defense: 'refusing addresses of apps with unknown parameters',
    file: 'src/contract/key-uri.ts',
    find: "    if (!understood.has(name)) throw new KeyUriError('has a parameter that is not known, which could change its codes')\n",
    replace: '',
    test: 'contract/key-uri.test.ts',
    title: 'an address %s is refused, and never quoted',
  },
  {
    defense: 'reading whose second factor is off',
    file: 'src/service/features/imported-factors/files/fields.ts',
    find: "    'enabled',\n    'isenabled',",
    replace: "    'isenabled',",
    test: cautious,
    title: 'people for whom %s is false are rejected: nobody has checked a code of theirs',
  },
  {
    defense: 'stopping at columns that may say whose second factor is off',
    file: 'src/service/features/imported-factors/files/fields.ts',
    find: '  refuseUndecided(given, line, new Set(Object.values(known).flat()))\n',
    replace: '',
    test: cautious,
    title: 'a column %s stops the file, because it may say so in words of its own',
  },
  {
    defense: 'refusing texts with words around recovery codes',
    file: 'src/service/features/imported-factors/files/read-recovery.ts',
    find: '? [undefined] : splitCodes(listed)',
    replace: '? splitCodes(listed) : splitCodes(listed)',
    test: cautious,
    title: 'a text with %s is refused, and nothing of it becomes a code',
  },
  {
    defense: 'refusing recovery codes that two people have',
    file: 'src/service/features/imported-factors/rules.ts',
    find: 'owners.get(form) !== row.username ? undefined : row.username',
    replace: 'owners.get(form) !== row.username ? row.username : row.username',
    test: cautious,
    title: 'a code that two people have is no secret: nobody gets it',
  },
  {
    defense: 'comparing no text of blanks and hyphens with recovery codes',
    file: 'src/service/features/bypass-codes/imported.ts',
    find: '  if (!isGuessedRarely(typed)) return []\n',
    replace: '',
    test: cautious,
    title: 'what is typed as %j is compared with no code',
  },
  {
    defense: 'logging no message of an error that may quote a seed',
    file: 'src/express/sign-in/brought-factors.ts',
    find: 'return `${error.name} ${place.trim()}`.trim()',
    replace: 'return `${error.message} ${error.name} ${place.trim()}`.trim()',
    test: 'express/import-factors.test.ts',
    title: 'answers 503 and offers no enrollment when it fails, whatever it throws',
  },
]
