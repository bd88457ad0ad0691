import type { Mutant } from './mutant.ts'

const [login, challenge, check] = [
  'src/express/passkey-login.ts',
  'src/service/features/passkeys/signed-challenge.ts',
  'src/service/features/passkeys/check-sign-in.ts',
]
const [web, service] = ['express/passkey-login.test.ts', 'service/features/passkeys/sign-in.test.ts']

/** Logins by passkey on a page of the app. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'an old answer on a page of the app does not count',
    file: login,
    find: 'createChallenge(newChallenge, clock.now(), random), session, at)',
    replace: 'createChallenge(newChallenge, clock.now(), random), session, Math.max(at, clock.now()))',
    test: web,
    title: 'a login by passkey does not count if the app takes so long to sign the user in that the answer is old',
  },
  {
    defense: 'a passkey without a password before it verifies the person',
    file: check,
    find: 'verifiesPerson: true',
    replace: 'verifiesPerson: false',
    test: service,
    title: 'rejects an answer %s',
  },
  {
    defense: 'the user handle says whose passkey it is',
    file: check,
    find: '  if (!passkey || answer.response.userHandle !== userHandleOf(passkey.userId)) return undefined',
    replace: '  if (!passkey || userHandleOf(passkey.userId) === answer.id) return undefined',
    test: service,
    title: 'rejects an answer %s',
  },
  {
    defense: 'no answers from frames of other origins',
    file: check,
    find: '  if (end === undefined || clientData.crossOrigin) return undefined',
    replace: '  if (end === undefined) return undefined',
    test: service,
    title: 'rejects an answer %s',
  },
  {
    defense: 'a challenge is used once',
    file: check,
    find: '  if (!(await insertUsedChallenge(db, used))) return undefined\n',
    replace: '  await insertUsedChallenge(db, used)\n',
    test: service,
    title: 'a usernameless sign-in takes an answer once, even when the same one arrives several times at once',
  },
  {
    defense: 'only challenges of this service, for this caller, relying party and domain',
    file: challenge,
    find: '  return isOurs && isBeforeEnd(',
    replace: '  return (isOurs || true) && isBeforeEnd(',
    test: service,
    title: 'rejects an answer for the challenge of another caller, relying party or domain',
  },
  {
    defense: 'challenges end',
    file: challenge,
    find: 'isBeforeEnd(end, ceremonyLifetime, now) ? end : undefined',
    replace: 'isBeforeEnd(end, ceremonyLifetime, 0) || now ? end : undefined',
    test: service,
    title: 'rejects an answer after five minutes',
  },
  {
    defense: 'the user still belongs to the domain',
    file: 'src/service/features/sessions/passkey-sign-in.ts',
    find: '      await memberBy(db, { organizationId, domainId }, { id: userId }),',
    replace: '      await userById(db, organizationId, userId),',
    also: [
      {
        file: 'src/service/features/sessions/passkey-sign-in.ts',
        find: "import { lockUser } from '../users/statements.ts'",
        replace: "import { lockUser, userById } from '../users/statements.ts'",
      },
    ],
    test: service,
    title: 'rejects the passkey of a user who has left the domain',
  },
  {
    defense: 'the passkey belongs to the user whom the app signs in',
    file: login,
    find: '  if (!isOwner(user, passkey))',
    replace: '  if (!isOwner(user, passkey) && false)',
    test: web,
    title: 'is an error where the app has signed in %s, and verifies no one',
  },
  {
    defense: 'the ceremony belongs to one browser',
    file: login,
    find: 'update(`passkey login ${id}`)',
    replace: "update(id && 'passkey login')",
    test: web,
    title: 'fails in another browser than the one that was asked',
  },
  {
    defense: 'a verified passkey is accepted in its own request',
    file: login,
    find: '  if (approval?.req !== req)',
    replace: '  if (!approval)',
    test: web,
    title: 'a login by passkey is accepted only in its own request, once, never if the app made the object itself',
  },
  {
    defense: 'the browser does not know what redeems the approval',
    file: login,
    find: "  createHash('sha256').update(`passkey login ${id}`).digest().subarray(0, 16).toString('base64url')",
    replace: "  (createHash('sha256') && id)",
    test: web,
    title: 'does not let the browser know what redeems the approval',
  },
]
