import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'remembering the step of a code',
    file: 'src/service/features/codes/statements.ts',
    find: '.set({ lastStep: step, drift,',
    replace: '.set({ drift,',
    test: 'service/features/codes/code-nodes.test.ts',
    title: 'two nodes accept the code of a token once when 64 requests use it at once',
  },
  {
    defense: 'the width of the window',
    file: 'src/service/features/codes/totp.ts',
    find: 'const window = 1',
    replace: 'const window = 2',
    test: 'service/features/codes/totp.properties.test.ts',
    title: 'the window of time-based codes accepts one step on either side and recognizes ten',
  },
  {
    defense: 'refusing steps that were accepted',
    file: 'src/service/features/codes/totp.ts',
    find: ' && step > source.lastStep',
    replace: '',
    test: 'service/features/codes/totp.properties.test.ts',
    title: 'the window of time-based codes accepts no step twice and no earlier step, in any order of codes',
  },
  {
    defense: 'computing all codes in reach',
    file: 'src/service/features/codes/totp.ts',
    find: 'return reaches[reach].map((distance) => expected + distance).filter(matches)[0]',
    replace: 'return reaches[reach].map((distance) => expected + distance).find(matches)',
    test: 'service/features/codes/equal-work.test.ts',
    title:
      'a code takes the same work whichever factor it is of and whatever the user has, and a wrong one takes four times the HMACs',
  },
  {
    defense: 'comparing a code without a generator',
    file: 'src/service/features/codes/generated-code.ts',
    find: 'const verdict = judgeWithin(reach, source ?? dummySource, code, now)',
    replace: "const verdict = source ? judgeWithin(reach, source, code, now) : ({ outcome: 'wrong' } as const)",
    test: 'service/features/codes/equal-work.test.ts',
    title:
      'a code takes the same work whichever factor it is of and whatever the user has, and a wrong one takes four times the HMACs',
  },
  {
    defense: 'two codes that follow each other',
    file: 'src/service/features/codes/totp.ts',
    find: 'step !== seenStep + 1',
    replace: 'step <= seenStep',
    test: 'service/features/codes/totp.properties.test.ts',
    title: 'the window of time-based codes moves only for two consecutive codes',
  },
  {
    defense: 'the number of uses of a bypass code',
    file: 'src/service/features/bypass-codes/statements.ts',
    find: `    .where('usesRemaining', '>', 0)
`,
    replace: '',
    test: 'service/features/bypass-codes/bypass-codes.test.ts',
    title: 'a bypass code works for its number of uses and is then reported as not found',
  },
  {
    defense: 'the number of uses of a bypass code, for many at once',
    file: 'src/service/features/bypass-codes/statements.ts',
    find: "({ usesRemaining: eb('usesRemaining', '-', 1), usedAt: now })",
    replace: "({ usesRemaining: eb('usesRemaining', '-', 0), usedAt: now })",
    test: 'service/features/codes/code-nodes.test.ts',
    title: 'two nodes accept a bypass code with five uses five times when 64 requests use it at once',
  },
  {
    defense: 'using an e-mailed code up',
    file: 'src/service/features/sent-codes/statements.ts',
    find: `(db, { domainId, userId, codeLookups }: Slots<Member & { codeLookups: readonly string[] }>, now: Slot<number>) =>
    db
      .deleteFrom('emailCode')
`,
    replace: `(db, { domainId, userId, codeLookups }: Slots<Member & { codeLookups: readonly string[] }>, now: Slot<number>) =>
    db
      .updateTable('emailCode')
      .set({ wrongTries: 0 })
`,
    test: 'service/features/sent-codes/email-code.test.ts',
    title: 'an e-mailed code is accepted once when 64 requests use it at once',
  },
  {
    defense: 'the time of an e-mailed code',
    file: 'src/service/features/sent-codes/statements.ts',
    find: "      .where('expiresAt', '>', now)\n",
    replace: '',
    test: 'service/features/sent-codes/email-code.test.ts',
    title: 'an e-mailed code works for ten minutes, and not a second longer',
  },
  {
    defense: 'that a code is checked before it is looked for a device',
    file: 'src/service/features/sessions/create.ts',
    find: "  if (isByCode(input)) return byCode(call, db, { ...startContext, passkeyNeeded })\n  const device = await activeDevice(db, domain.id, user.id)\n  if (!device) throw new ApiProblem('api.error.notfound.token')\n",
    replace:
      "  const device = await activeDevice(db, domain.id, user.id)\n  if (!device) throw new ApiProblem('api.error.notfound.token')\n  if (isByCode(input)) return byCode(call, db, { ...starting, passkeyNeeded })\n",
    test: 'service/features/codes/codes.test.ts',
    title: 'a wrong code gets the same response, whatever factors the user has',
  },
  {
    defense: 'the lock of codes',
    file: 'src/service/features/codes/budget.ts',
    find: 'if (end !== null && end > now) throw locked(end, now)',
    replace: '',
    test: 'service/features/codes/code-budget.test.ts',
    title:
      'ten wrong codes in a row across all challenges lock codes for fifteen minutes, without checking or using up the right one',
  },
  {
    defense: 'that only codes ask for the lock of codes',
    file: 'src/service/features/sessions/create.ts',
    find: '  const device = await activeDevice(db, domain.id, user.id)\n',
    replace:
      "  if ((user.codesLockedUntil ?? 0) > call.clock.now()) throw new ApiProblem('api.error.locked')\n  const device = await activeDevice(db, domain.id, user.id)\n",
    test: 'attacks/knows-the-password.test.ts',
    title: 'guessing codes does not lock the owner out: the device still works',
  },
  {
    defense: 'only the approval of a code with a challenge is redeemed when it is created',
    file: 'src/contract/sessions.ts',
    find: '!redeem || (challenge && (otp ?? bypasscode ?? passkey))',
    replace: '!redeem || true',
    test: 'service/features/sessions/operations.test.ts',
    title: 'creating a session refuses to redeem a request to the device, and a code without a challenge',
  },
  {
    defense: 'a code that is redeemed at once cannot be redeemed again',
    file: 'src/service/features/sessions/create.ts',
    find: 'redeemed: await redeemCode(call, db, created.session, input)',
    replace: "redeemed: await redeemCode(call, db, { ...created.session, state: 'denied' }, input)",
    test: 'service/features/sessions/operations.test.ts',
    title: 'creating a session with a code can redeem the approval in the same call',
  },
  {
    defense: 'a code whose approval cannot be redeemed is not used up',
    file: 'src/service/features/sessions/create.ts',
    find: "  if (!redeemed) throw new ApiProblem('api.error.notfound.user')\n  return redeemed",
    replace: '  return redeemed',
    test: 'service/features/codes/redeemed-code.test.ts',
    title: 'a code whose approval cannot be redeemed is not used up and leaves no session',
  },
  {
    defense: 'concurrent calls do not redeem a code twice',
    file: 'src/service/features/bypass-codes/statements.ts',
    find: "({ usesRemaining: eb('usesRemaining', '-', 1), usedAt: now })",
    replace: "({ usesRemaining: eb('usesRemaining', '-', 0), usedAt: now })",
    test: 'service/features/codes/redeemed-code.test.ts',
    title: 'a code redeemed by the call that checks it verifies once when calls race, in one challenge or several',
  },
  {
    defense: 'an approval counts as redeemed only if the service says so',
    file: 'src/challenge/code.ts',
    find: 'session.epoch === undefined ? undefined : session',
    replace: 'session',
    test: 'express/codes.test.ts',
    title: 'a code is checked and redeemed %s',
  },
  {
    defense: 'a code of a user whom the service does not know',
    file: 'src/challenge/code.ts',
    find: "typed), 'api.error.notfound.user')",
    replace: 'typed))',
    test: 'express/unknown-user.test.ts',
    title: 'an unknown user who opens no page gets no failure (provision: %s)',
  },
  {
    defense: 'the pause of codes to an address that changed',
    file: 'src/service/features/users/reach.ts',
    find: '24 * 60 * 60 - now',
    replace: '0 - now',
    test: 'service/features/sent-codes/email-code.test.ts',
    title:
      'e-mailing codes pauses for 24 hours after the address changes, and the code in the old mailbox stops working',
  },
  {
    defense: 'an address that changes while a code is sent',
    file: 'src/service/features/sent-codes/send.ts',
    find: `    requireSettledPlace(factor, currentMember, now)
    const codeLookup`,
    replace: '    const codeLookup',
    test: 'service/features/sent-codes/email-code.test.ts',
    title: 'e-mailing a code to an address that changes meanwhile leaves no working code behind',
  },
  {
    defense: 'the end of a pass by e-mail',
    file: 'src/service/features/factors/passes.ts',
    find: 'if (isSent(factor)) return reaches(factor, { domain, user }, now)',
    replace: 'if (isSent(factor)) return true',
    test: 'service/features/factors/change-pass.test.ts',
    title: 'a pass by e-mail ends when the address changes, or when the domain sends no codes',
  },
  {
    defense: 'a domain that sends no codes any more',
    file: 'src/service/features/codes/sent-code.ts',
    find: `
    .filter((factor) => sends(factor, domain))`,
    replace: '',
    test: 'service/features/sent-codes/email-code.test.ts',
    title: 'an e-mailed code stops working when its domain sends none any more',
  },
  {
    defense: 'the end of a move that was collected',
    file: 'src/authenticator/screens/claim-account.tsx',
    find: 'waiting.current && !isDone.current',
    replace: 'waiting.current',
    test: 'authenticator/move.long.ts',
    title: 'a new phone that has collected its account does not give the move up, and shows what is opened next',
  },
]
