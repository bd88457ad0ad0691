import type { Mutant } from './mutant.ts'

const [calls, attacks, alerts] = [
  'service/features/callers/console.test.ts',
  'attacks/caller-verification.test.ts',
  'service/features/callers/caller-alerts.test.ts',
]
const store = 'src/service/features/callers/statements.ts'
const verified = 'src/service/features/administrators/caller-statements.ts'
const openCall = 'src/service/engine/database/open-call.ts'
const answer = 'src/service/features/callers/answer.ts'
const handlers = 'src/service/features/callers/console.ts'
const authorize = 'src/service/features/administrators/authorize.ts'

/** Attackers who call the help desk in the name of a user. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'the number on the page of a person, only for the administrator who asked',
    file: store,
    find: "    .where('requestedBy', '=', slots.administratorId)\n    .orderBy('sequence', 'desc')",
    replace:
      "    .where('requestedBy', '>', derived(slots.administratorId, () => ''))\n    .orderBy('sequence', 'desc')",
    test: calls,
    title:
      'the person’s page shows a caller verification to the administrator who asked, as long as its outcome stands',
  },
  {
    defense: 'a wrong number settles a call',
    file: answer,
    find: "isSameText(row.number, number) ? 'confirmed' : 'wrong_number'",
    replace: "isSameText(row.number, number) ? 'confirmed' : 'confirmed'",
    test: calls,
    title: 'a wrong number settles a caller verification for good',
  },
  {
    defense: 'the number that a confirmation needs',
    file: answer,
    find: "  if (number === null) throw new ApiProblem('api.error.invalid.number', 'number: required.')\n",
    replace: "  if (number === null) return 'confirmed'\n",
    test: calls,
    title: 'an answer without a number leaves a caller verification pending',
  },
  {
    defense: 'the nonce of a call',
    file: answer,
    find: '!isSameText(row.nonce, answer.nonce)',
    replace: '!isSameText(row.nonce, row.nonce)',
    test: calls,
    title: 'an answer to a caller verification needs its nonce, which is checked before the number',
  },
  {
    defense: 'the device of a call',
    file: store,
    find: "db.selectFrom('callerVerification').selectAll().where('id', '=', id).where('deviceId', '=', deviceId),",
    replace: "db.selectFrom('callerVerification').selectAll().where('id', '=', id).where('deviceId', '<>', deviceId),",
    test: calls,
    title: 'is rejected from the device of another user',
  },
  {
    defense: 'the PIN that a confirmation needs',
    file: answer,
    find: "const agrees = answer.decision === 'confirm'",
    replace: "const agrees = answer.decision !== 'confirm'",
    test: calls,
    title: 'needs the PIN to confirm, and not to deny',
  },
  {
    defense: 'the order of PIN and number for a call',
    file: answer,
    find: "    return currentRow.state === 'pending'",
    replace: `    if (agrees && answer.number !== currentRow.number) throw new ApiProblem('api.error.invalid.number')
    return currentRow.state === 'pending'`,
    test: calls,
    title: 'a wrong PIN for a caller verification does not reveal whether the number was right',
  },
  {
    defense: 'a call that was answered before its PIN was checked stays answered',
    file: answer,
    find: "  if (currentRow.state !== 'pending') return { answered: repeated(currentRow, answer, number), settled: undefined }\n",
    replace: '',
    also: [{ file: openCall, find: "      eb('callerVerification.state', '=', 'pending'),\n", replace: '' }],
    test: calls,
    title: 'when many answers to a caller verification arrive at once, one decides and is final',
  },
  {
    defense: 'the end of the time for an answer to a call',
    file: 'src/service/features/callers/rules.ts',
    find: 'hasBegun && call.expiresAt > now',
    replace: 'hasBegun && call.expiresAt > 0',
    also: [
      {
        file: openCall,
        find: "      eb('callerVerification.expiresAt', '>', now),\n",
        replace: '',
      },
    ],
    test: calls,
    title: 'comes too late after 90 seconds',
  },
  {
    defense: 'a verification counts for the administrator who asked',
    file: verified,
    find: "    .where('requestedBy', '=', slots.administratorId)\n    .where('state'",
    replace: "    .where('requestedBy', '>', derived(slots.administratorId, () => ''))\n    .where('state'",
    test: calls,
    title: 'the right number confirms a caller verification for 10 minutes for the administrator who asked',
  },
  {
    defense: 'a verification stands for 10 minutes',
    file: verified,
    find: '(time) => time - callOutcomeStands',
    replace: '(time) => time - 2 * callOutcomeStands',
    test: calls,
    title: 'the right number confirms a caller verification for 10 minutes for the administrator who asked',
  },
  {
    defense: 'a verification ends with its device',
    file: verified,
    find: '    .where(isOfMember)\n    .where(hasDeviceInUse),\n)\n\nconst keyTypesOfDevices',
    replace: '    .where(isOfMember),\n)\n\nconst keyTypesOfDevices',
    test: calls,
    title: 'a confirmed caller verification no longer counts once its device is removed',
  },
  {
    defense: 'a verification ends with the membership',
    file: verified,
    find: '    .where(isOfMember)\n    .where(hasDeviceInUse),\n)\n\nconst keyTypesOfDevices',
    replace: ',\n)\n\nconst keyTypesOfDevices',
    test: calls,
    title: 'a confirmed caller verification no longer counts once the person has left the domain',
  },
  {
    defense: 'the help desk needs a verified caller or a consent',
    file: 'src/service/features/administrators/guard.ts',
    find: '  if (await isCallerVerified(db, request, await neededStrength(db, endpoint, input, call.organizationId), now))\n    return undefined\n',
    replace: '',
    test: calls,
    title: 'a confirmed caller verification lets the help desk act without a consent for 10 minutes',
  },
  {
    defense: 'No blocks the help desk',
    file: authorize,
    find: "administrator.role === 'helpdesk') await rejectBlocked(",
    replace: "administrator.role === 'auditor') await rejectBlocked(",
    test: attacks,
    title: 'the help desk cannot call $name for a person who answered No to its call',
  },
  {
    defense: 'No blocks the help desk for a day',
    file: verified,
    find: '(time) => time - callBlockLength',
    replace: '(time) => time - callBlockLength / 2',
    test: calls,
    title: 'the answer %s to a caller verification needs no number and blocks the help desk for 24 hours',
  },
  {
    defense: 'the operator is alerted of a No',
    file: answer,
    find: '  if (settled) alertOperator(',
    replace: '  if (!settled) alertOperator(',
    test: calls,
    title: 'a No to a caller verification alerts the operator',
  },
  {
    defense: 'the owners are mailed about a No',
    file: answer,
    find: '  if (isAlarming(state)) await mailOwnersAfterCommit(',
    replace: '  if (!isAlarming(state)) await mailOwnersAfterCommit(',
    test: alerts,
    title:
      'a No to a caller verification is mailed to the current owners of the organization and to no other administrator',
  },
  {
    defense: 'only present owners are mailed',
    file: 'src/service/features/administrators/statements.ts',
    find: "role: 'owner' as const, revokedAt: null })",
    replace: "role: 'owner' as const })",
    test: alerts,
    title:
      'a No to a caller verification is mailed to the current owners of the organization and to no other administrator',
  },
  {
    defense: 'the inbox without the number of a call',
    file: 'src/service/features/devices/inbox.ts',
    find: '    numberLength: call.number.length,',
    replace: '    numberLength: call.number.length, ...{ number: call.number },',
    test: calls,
    title: 'a caller verification reaches the inbox of the device without its number and its administrator',
  },
  {
    defense: 'the number is for the administrator who asks',
    file: handlers,
    find: "state === 'pending' && requestedBy === signedIn(call).id &&",
    replace: "state === 'pending' &&",
    test: calls,
    title: 'a caller verification shows its number to no administrator but the one who asked',
  },
  {
    defense: 'the person and domain of a verification',
    file: store,
    find: "pick(slots, ['organizationId', 'domainId', 'userId', 'id'])",
    replace: "pick(slots, ['organizationId', 'id'])",
    test: calls,
    title: 'is not found under another person or domain',
  },
  {
    defense: 'two questions to a person in 10 minutes',
    file: 'src/service/features/callers/budget.ts',
    find: '{ scope: `caller 10m ${userId}`,',
    replace: '{ scope: `caller 10m ${userId} ${administratorId}`,',
    test: calls,
    title: 'a person gets at most 2 caller verifications in 10 minutes, no matter who asks',
  },
  {
    defense: 'five questions to a person in a day',
    file: 'src/service/features/callers/rules.ts',
    find: 'long: { limit: 5,',
    replace: 'long: { limit: 500,',
    test: calls,
    title: 'a person gets at most 5 caller verifications in 24 hours',
  },
  {
    defense: 'thirty questions of an administrator in a day',
    file: 'src/service/features/callers/budget.ts',
    find: 'scope: `caller by ${administratorId}`,',
    replace: 'scope: `caller by ${administratorId} ${userId}`,',
    test: calls,
    title: 'an administrator asks for at most 30 caller verifications in 24 hours',
  },
  {
    defense: 'numbers that differ from those of sign-ins',
    file: handlers,
    find: 'new Set([...(await pendingNumbers(db, userId, now)), ...(await openCallNumbers(db, deviceId, now))])',
    replace: `new Set(
    (await pendingNumbers(db, userId, now)).size + (await openCallNumbers(db, deviceId, now)).length > 9
      ? []
      : Array.from({ length: 90 }, (_, index) => String(10 + index)).filter((number) => number !== '10'),
  )`,
    test: calls,
    title: 'a caller verification has a different number than the sign-ins that the person may be looking at',
  },
  {
    defense: 'the button No says no',
    file: 'src/authenticator/screens/call.tsx',
    find: "onDeny={() => answer('deny')}",
    replace: "onDeny={() => answer('confirm')}",
    test: 'authenticator/call.long.ts',
    title: 'the answer No to a help desk call needs no number, says what to do next, and is in the history',
  },
  {
    defense: 'a call and a sign-in that wait together are listed',
    file: 'src/authenticator/screen.ts',
    find: 'countOf(inbox) === 1',
    replace: 'countOf(inbox) >= 1',
    also: [
      {
        file: 'src/authenticator/app.tsx',
        find: 'if (count > 1) for',
        replace: 'if (count > 9) for',
      },
    ],
    test: 'authenticator/call.long.ts',
    title: 'a call to the help desk is in a list when a sign-in waits as well, so neither is mistaken',
  },
  {
    defense: 'the rights to a held read of a caller verification',
    file: 'src/service/features/callers/console.ts',
    find: '    await requireSameRights(call)\n',
    replace: '',
    test: 'service/features/callers/console.test.ts',
    title: 'a held read of a caller verification says nothing to an administrator whose access was revoked',
  },
]
