import { editableMigrations } from './mutant.ts'
import type { Mutant } from './mutant.ts'

const late = 'attacks/late-changes.test.ts'
const callers = 'service/features/callers/console.test.ts'
const races = 'service/features/administrators/change-races.long.ts'
const title = 'an administrator whose request waits cannot call $name once $precondition.title'
const file = 'src/service/features/administrators/change.ts'

/** What is decided in the transaction of a change. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'the decision in the transaction of a change',
    file,
    find: '  await authorizeAdministrator(call, administrator, endpoint, params)\n',
    replace: '',
    test: late,
    title,
  },
  {
    defense: 'the session that the transaction of a change reads',
    file,
    find: '  if (!administrator) throw notSignedIn()\n  await',
    replace: '  if (!administrator) return signedIn(call)\n  await',
    test: late,
    title,
  },
  {
    defense: 'the evidence that the transaction of a change reads',
    file,
    find: 'used ? undefined : await requireEvidence(callNow, endpoint, inputMembers)',
    replace: 'undefined',
    test: late,
    title,
  },
  {
    defense: 'two owners who revoke each other at once',
    file,
    find: '  if (!administrator) throw notSignedIn()\n  await',
    replace: '  if (!administrator) return signedIn(call)\n  await',
    test: 'service/features/administrators/administrators.test.ts',
    title: 'two owners who revoke each other at once leave one owner',
  },
  {
    defense: 'the strength of a verification for what counts in another app',
    file: 'src/service/features/administrators/guard.ts',
    find: "  return (await domainById(db, organizationId, domainId))?.keyType ?? 'NONE'\n",
    replace: "  return (await domainById(db, organizationId, domainId)) ? 'NONE' : 'PIN'\n",
    test: callers,
    title: 'a caller verification by a device without a PIN covers only the app without a PIN',
  },
  {
    defense: 'the strongest device for what counts everywhere',
    file: 'src/service/features/administrators/caller-statements.ts',
    find: ".reduce(strongerOf, 'NONE')",
    replace: ".reduce((one) => one, 'NONE')",
    test: callers,
    title: 'a caller verification by a device without a PIN does not cover %s, which counts everywhere',
  },
  {
    defense: 'the strength that a verification had when the person was asked',
    file: 'src/service/features/callers/console.ts',
    find: '    keyType: domain.keyType,\n',
    replace: "    keyType: 'PASSCODE',\n",
    test: callers,
    title: 'a caller verification by a device without a PIN covers only the app without a PIN',
  },
  {
    defense: 'the lock of the user before a change is decided',
    file: 'src/service/features/administrators/lock-rows.ts',
    find: '    await lockUser(db, organizationId, userId)\n',
    replace: '    void lockUser\n',
    test: races,
    title: 'a console change that waits for a person’s denial of a caller is refused because of it',
  },
  {
    defense: 'the lock of the user before an answer to the help desk',
    file: 'src/service/features/callers/answer.ts',
    find: '    await lockUser(db, organizationId, userId)\n',
    replace: '    void [lockUser, organizationId, userId]\n',
    test: races,
    title: 'a person’s denial of a caller waits for a console change in progress',
  },
  {
    defense: 'changes about a person that PostgreSQL does not abort',
    file,
    find: ': readCommitted(db).execute(decideAndRun)',
    replace: ': [db.transaction(), readCommitted(db)][0].execute(decideAndRun)',
    test: races,
    title: 'at most one of 100 console changes is tried again while 12 administrators change people at once',
  },
  {
    defense: 'changes without a person that PostgreSQL does not abort',
    file: 'src/service/features/administrators/turns.ts',
    find: 'const running = previous ? previous.then(work) : work()',
    replace: 'const running = previous ? work() : work()',
    test: races,
    title:
      'at most one of 100 console changes without a person is tried again while 12 administrators make them at once',
  },
  {
    defense: 'memberships that a change holds until it ends',
    file: 'src/service/features/administrators/lock-rows.ts',
    find: '    await holdMemberships(db, organizationId)\n',
    replace: '    void holdMemberships\n',
    test: races,
    title:
      'a console change is refused if the synchronization it waits for adds the person to another administrator’s app',
  },
  {
    defense: 'a synchronization that waits for changes of the console',
    file: 'src/service/features/users/synchronize.ts',
    find: '    await lockMemberships(db, claimed.organizationId)\n',
    replace: '    void lockMemberships\n',
    test: races,
    title: 'a synchronization waits for a console change in progress',
  },
  {
    defense: 'an index for what decides about an API key',
    file: 'src/service/engine/database/schema/0008-api-key-of-organization.ts',
    find: 'on api_key (organization_id, created_at, id)',
    replace: 'on api_key (created_at)',
    also: [editableMigrations],
    test: 'service/features/administrators/decision-plans.test.ts',
    title: 'console changes reach every table through an index, even with few rows',
  },
]
