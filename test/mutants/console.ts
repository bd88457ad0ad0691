import type { Mutant } from './mutant.ts'

const attacks = 'attacks/console.test.ts'
const lateBodies = 'attacks/held-back-bodies.test.ts'
const access = 'service/console/access.test.ts'
const signIn = 'service/console/sign-in.test.ts'
const administrators = 'service/console/administrators.test.ts'
const people = 'service/console/people.test.ts'
const mounting = 'service/console/mounting.test.ts'
const lockout = 'attacks/console-lockout.test.ts'

const refusedSignIn = 'is refused with %s'
const refusedInvitation = 'is not accepted with %s'

const authorize = 'src/service/console/authorize.ts'
const ownRecord = 'src/service/console/own-record.ts'
const storedConsents = 'src/service/store/consents.ts'
const standingConsent = 'src/service/console/standing-consent.ts'
const consentHandlers = 'src/service/console/consents.ts'
const consents = 'service/console/consents.test.ts'
const scope = 'src/service/console/scope.ts'
const ceremonies = 'src/service/console/ceremonies.ts'
const consoleAccess = 'src/service/console/access.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the table of roles in the console',
    file: authorize,
    find: "  if (!mayCall(administrator.role, { method, admin })) throw new ApiProblem('api.error.forbidden')\n",
    replace: '',
    test: access,
    title: '$name is forbidden for the role $as, whatever it names',
  },
  {
    defense: 'an auditor changes nothing',
    file: 'src/contract/admin/roles.ts',
    find: "  owner: { read: ['auditor', 'owner'], change: ['owner'] },",
    replace: "  owner: { read: ['auditor', 'owner'], change: ['auditor', 'owner'] },",
    test: access,
    title: '$name is forbidden for the role $as, whatever it names',
  },
  {
    defense: 'the session that each operation of the console needs',
    file: authorize,
    find: '  if (!administrator) throw notSignedIn()\n',
    replace: '  if (!administrator) return\n',
    test: access,
    title: 'cannot call $name',
  },
  {
    defense: 'the organization of another administrator',
    file: scope,
    find: '    if (other?.organizationId !== administrator.organizationId) return false\n',
    replace: '    if (!other) return false\n',
    also: [
      {
        file: 'src/service/admin/administrators.ts',
        find: '  if (row?.organizationId !== organizationId) throw notFound()',
        replace: '  if (!row || organizationId === undefined) throw notFound()',
      },
    ],
    test: access,
    title: 'do not exist for $name in the role $as',
  },
  {
    defense: 'the own record of an administrator',
    file: ownRecord,
    find: '  if (administratorId === administrator.id) return true\n',
    replace: '',
    test: access,
    title: 'is closed to $name in the role $as',
  },
  {
    defense: 'the age of a pass that allows changes',
    file: authorize,
    find: "  if (admin.fresh && !isFresh(administrator.session, now)) throw new ApiProblem('api.error.forbidden.fresh')\n",
    replace: '',
    test: access,
    title: 'is refused by $name',
  },
  {
    defense: 'the origin of each change',
    file: 'src/service/console/same-origin.ts',
    find: 'headers.origin !== origin',
    replace: '(headers.origin !== undefined && headers.origin !== origin)',
    test: attacks,
    title: 'cannot leave the origin out',
  },
  {
    defense: 'the whole origin counts, not its host',
    file: 'src/service/console/same-origin.ts',
    find: 'headers.origin !== origin',
    replace: '!headers.origin?.endsWith(new URL(origin).hostname)',
    test: attacks,
    title: 'cannot make an administrator change anything: %s',
  },
  {
    defense: 'reads by pages of other origins',
    file: 'src/service/console/same-origin.ts',
    find: "site === 'cross-site' || site === 'same-site'",
    replace: "site === 'cross-site'",
    test: attacks,
    title: 'reads nothing, as its browser calls it %s',
  },
  {
    defense: 'sessions end with the access of their administrator',
    file: 'src/service/store/administrator-sessions.ts',
    find: "    .where('administrator.revokedAt', 'is', null),",
    replace: '    ,',
    also: [
      {
        file: 'src/service/store/administrators.ts',
        find: '  await removeAdministratorSessions(db, id)\n',
        replace: '',
      },
    ],
    test: attacks,
    title: 'gets nothing from $name after the administrator was revoked',
  },
  {
    defense: 'invitations end with the access of the administrator who made them',
    file: 'src/service/store/administrators.ts',
    find: '  await removeInvitationsBy(db, id)\n  return true\n}\n\nconst revoke',
    replace: '  return true\n}\n\nconst revoke',
    test: attacks,
    title: 'cannot come back by an invitation that it made before it was revoked',
  },
  {
    defense: 'invitations end with the role of the administrator who made them',
    file: 'src/service/store/administrators.ts',
    find: '  await removeInvitationsBy(db, id)\n  for',
    replace: '  for',
    test: attacks,
    title: 'cannot use an invitation that it made as an owner after it was demoted',
  },
  {
    defense: 'an invitation is used up by the registration',
    file: 'src/service/store/administrator-invitations.ts',
    find: `  db
    .deleteFrom('administratorInvitation')
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestExpiry))
    .returningAll(),`,
    replace: `  db
    .selectFrom('administratorInvitation')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestExpiry)),`,
    test: signIn,
    title: 'is accepted once when two browsers race',
  },
  {
    defense: 'a ceremony belongs to its invitation',
    file: ceremonies,
    find: '  consoleOf(call).rpId,\n  subject,\n',
    replace: '  consoleOf(call).rpId,\n  subject && kind,\n',
    test: attacks,
    title: 'cannot answer the ceremony of one invitation for another one',
  },
  {
    defense: 'a ceremony of the console takes one answer',
    file: 'src/service/console/sign-in.ts',
    find: 'if (present?.revokedAt !== null || !(await useCeremony(db, call, assertion.ceremony))) return undefined',
    replace: 'if (present?.revokedAt !== null) return undefined',
    test: signIn,
    title: 'accepts each answer once',
  },
  {
    defense: 'the verification of the person',
    file: ceremonies,
    find: 'origins: [origin], verifiesPerson: true }',
    replace: 'origins: [origin], verifiesPerson: false }',
    test: signIn,
    title: refusedSignIn,
  },
  {
    defense: 'no answer comes from a frame of another origin',
    file: ceremonies,
    find: 'clientData: clientData.crossOrigin ? undefined : clientData }',
    replace: 'clientData }',
    test: signIn,
    title: refusedInvitation,
  },
  {
    defense: 'the answer names its administrator',
    file: 'src/service/console/sign-in.ts',
    find: 'administrator?.revokedAt === null && response.userHandle === administrator.userHandle',
    replace: 'administrator?.revokedAt === null && typeof response.userHandle !== undefined',
    test: signIn,
    title: refusedSignIn,
  },
  {
    defense: 'a confirmation takes a passkey of the same administrator',
    file: 'src/service/console/sign-in.ts',
    find: 'const own = administrator?.id === id ? passkey : undefined',
    replace: 'const own = administrator ? passkey : undefined',
    test: signIn,
    title: 'is not allowed by the passkey of another administrator',
  },
  {
    defense: 'backup eligibility of a passkey of the console never changes',
    file: 'src/service/store/administrator-passkeys.ts',
    find: "\n      .where('syncable', '=', use.syncable),",
    replace: ',',
    test: signIn,
    title: refusedSignIn,
  },
  {
    defense: 'public keys of the console belong to one administrator',
    file: 'src/service/store/administrator-passkeys.ts',
    find: "  const opened = secrets.open(publicKey, { kind: 'administrator passkey', id, userId: administratorId })",
    replace: `  const record = { kind: 'administrator passkey', id, userId: administratorId } as const
  const opened = publicKey.length > 0 ? keyOfAnyone(secrets, publicKey, record) : ''`,
    also: [
      {
        file: 'src/service/store/administrator-passkeys.ts',
        find: '  secrets.seal(Buffer.from(publicKey)',
        replace: "  'plain:' + Buffer.from(publicKey).toString('base64url') || secrets.seal(Buffer.from(publicKey)",
      },
      {
        file: 'src/service/store/administrator-passkeys.ts',
        find: '/** @throws {UnsealError} if it was changed, or belongs to another passkey or administrator. */',
        replace: `const keyOfAnyone = (secrets: Secrets, sealed: string, of: Parameters<Secrets['open']>[1]): string =>
  sealed.startsWith('plain:') ? sealed.slice(6) : secrets.open(sealed, of)

/** */`,
      },
    ],
    test: attacks,
    title: 'cannot give an administrator the passkey of another one',
  },
  {
    defense: 'the version of an administrator',
    file: 'src/service/admin/administrators.ts',
    find: '    if (version !== undefined && version !== before.version) throw changedMeanwhile(before)\n',
    replace: '',
    test: administrators,
    title: 'cannot be changed under an outdated version',
  },
  {
    defense: 'the idle time of a session in the console',
    file: 'src/service/rules/console-session.ts',
    find: 'now >= usedAt + sessionIdle || ',
    replace: '',
    test: signIn,
    title: 'ends after 30 minutes without a request',
  },
  {
    defense: 'a page that waits does not keep its session alive',
    file: 'src/service/console/access.ts',
    find: 'if (administrator && headers.prefer === undefined) await',
    replace: 'if (administrator) await',
    test: signIn,
    title: 'is not kept alive by a page that waits for changes',
  },
  {
    defense: 'the lifetime of a session in the console',
    file: 'src/service/rules/console-session.ts',
    find: 'now >= signedInAt + sessionLifetime || ',
    replace: '',
    test: signIn,
    title: 'ends after 8 hours',
  },
  {
    defense: 'the host of the console serves nothing else',
    file: 'src/service/front/console.ts',
    find: '    isOfHost(req, address) ? next() : handle(req, res, next)',
    replace: '    isOfHost(req, address) && req.url === undefined ? next() : handle(req, res, next)',
    test: mounting,
    title: 'serves nothing else',
  },
  {
    defense: 'other hosts do not serve the console',
    file: 'src/service/front/console.ts',
    find: '    if (!isOfHost(req, address)) {',
    replace: '    if (isLoopbackOf(address, req.headers.host)) {',
    test: mounting,
    title: 'serves the console of %s at any path of an app, for its own host',
  },
  {
    defense: 'the limit of anonymous attempts for each address in the console',
    file: consoleAccess,
    find: 'if (named === undefined) rates.byAddress.take(networkOf(from))',
    replace: 'if (named === undefined) networkOf(from)',
    test: lockout,
    title: 'is refused after 20 attempts in a second',
  },
  {
    defense: 'a sign-in has the budget of its passkey',
    file: 'src/service/console/sign-in.ts',
    find: 'countUnsigned(passkey && `passkey ${passkey.id}`)',
    replace: 'countUnsigned(passkey && undefined)',
    test: lockout,
    title: 'keeps no administrator from signing in',
  },
  {
    defense: 'a registration has the budget of its invitation',
    file: 'src/service/console/registration.ts',
    find: 'countUnsigned(invitation && `invitation ${invitation.id}`)',
    replace: 'countUnsigned(invitation && undefined)',
    test: lockout,
    title: 'keeps no one from accepting an invitation',
  },
  {
    defense: 'a confirmation belongs to one session',
    file: 'src/service/console/sign-in.ts',
    find: "({ kind: 'confirm', subject: signedIn(call).session.hash })",
    replace: "({ kind: 'confirm', subject: signedIn(call).id })",
    test: lockout,
    title: 'confirms nothing in another session of the same administrator',
  },
  {
    defense: 'a challenge of the console names what it is for',
    file: ceremonies,
    find: "  'console',\n  kind,\n",
    replace: "  'console',\n  kind && 'any',\n",
    also: [
      {
        file: 'src/service/console/sign-in.ts',
        find: "({ kind: 'confirm', subject: signedIn(call).session.hash })",
        replace: "({ kind: 'confirm', subject: signedIn(call).session.hash && '' })",
      },
    ],
    test: lockout,
    title: 'signs no one in if it was made for a confirmation',
  },
  {
    defense: 'a challenge confirms once',
    file: 'src/service/console/sign-in.ts',
    find: 'if (!(await useCeremony(db, inside, assertion.ceremony)) || !(await use(db, inside, own, assertion))) return false',
    replace: 'if (!(await use(db, inside, own, assertion))) return false',
    test: lockout,
    title: 'confirms once',
  },
  {
    defense: 'a challenge adds one passkey',
    file: 'src/service/console/own-passkeys.ts',
    find: '    if (!(await useCeremony(db, call, ceremony))) throw ceremonyEnded()\n',
    replace: '',
    test: lockout,
    title: 'brings a removed passkey back only once',
  },
  {
    defense: 'the consent that the help desk needs',
    file: 'src/service/console/change.ts',
    find: 'if (!decided && endpoint.admin?.guarded === true)',
    replace: "if (!decided && endpoint.admin?.guarded === 'sometimes')",
    test: people,
    title: 'resets a person once, after another administrator has consented',
  },
  {
    defense: 'a consent is used once',
    file: storedConsents,
    find: ".set({ state: 'used' })",
    replace: ".set({ state: 'given' })",
    test: people,
    title: 'resets a person once, after another administrator has consented',
  },
  {
    defense: 'a consent is for one person and agent',
    file: storedConsents,
    find: "is.and(pick(asked, ['requestedBy', 'userId'])))\n    .where('state', '=', 'given')",
    replace: "is.and(pick(asked, ['userId'])))\n    .where('state', '=', 'given')",
    test: people,
    title: 'cannot use a consent for another action, another person, or as another agent',
  },
  {
    defense: 'the end of a consent',
    file: storedConsents,
    find: "    .where('state', '=', 'given')\n    .where('expiresAt', '>', now),",
    replace: "    .where('state', '=', 'given')\n    .where('expiresAt', '>', 0),",
    test: people,
    title: 'cannot use a consent after 15 minutes, or one that was denied',
  },
  {
    defense: 'no administrator consents to its own request by a second account',
    file: standingConsent,
    find: '!emails.includes(colleague.email.toLowerCase())',
    replace: 'emails.length > 0',
    test: people,
    title: 'gets no consent from itself, not even by a second account, nor from the person it is about',
  },
  {
    defense: 'the person does not consent to what is about them',
    file: standingConsent,
    find: 'colleague.userId !== person.id && ',
    replace: '',
    test: people,
    title: 'gets no consent from itself, not even by a second account, nor from the person it is about',
  },
  {
    defense: 'a denial after a consent',
    file: storedConsents,
    find: "    .set({ state: 'denied', decidedBy })\n    .where('id', '=', id)\n    .where('state', 'in', ['pending', 'given']),",
    replace:
      "    .set({ state: 'denied', decidedBy })\n    .where('id', '=', id)\n    .where('state', 'in', ['pending']),",
    test: consents,
    title: 'is denied by whoever denies it, also after another administrator has given it, until it is used',
  },
  {
    defense: 'a denied consent is not given',
    file: storedConsents,
    find: "set({ state: 'given', decidedBy }).where('id', '=', id).where('state', '=', 'pending')",
    replace: "set({ state: 'given', decidedBy }).where('id', '=', id)",
    also: [{ file: consentHandlers, find: "row.state !== 'pending' || ", replace: '' }],
    test: consents,
    title: 'is denied by whoever denies it, also after another administrator has given it, until it is used',
  },
  {
    defense: 'one open request of an administrator about a person',
    file: consentHandlers,
    find: '    await removeOpenConsents(db, { requestedBy, userId })\n',
    replace: '',
    test: consents,
    title: 'is asked for once at a time: a second request about the same person takes the place of the first',
  },
  {
    defense: 'the domains in which a consent counts',
    file: standingConsent,
    find: '  if (consentDigest(await subjectOf(db, endpoint, input, now)) !== row.digest) return false\n',
    replace: '',
    test: consents,
    title: 'is void as soon as the person belongs to another domain',
  },
  {
    defense: 'the right of the colleague when a consent is used',
    file: standingConsent,
    find: '  return colleague !== undefined && mayGive(colleague, { row, requester, person })\n',
    replace: '  return colleague?.id !== requester.id\n',
    test: consents,
    title: 'does not count once the colleague %s',
  },
  {
    defense: 'the domains of the colleague when a consent is used',
    file: standingConsent,
    find: 'mayCall(colleague.role, giveConsent) && managesConsent(colleague, row) && isAnother',
    replace: 'mayCall(colleague.role, giveConsent) && isAnother',
    test: consents,
    title: 'does not count once the colleague %s',
  },
  {
    defense: 'parameters that the operation itself would accept',
    file: 'src/service/console/consent-subject.ts',
    find: "const others = ['userId', 'because', ...(admin?.secrets ?? [])]",
    replace: "const others = ['userId', 'because']",
    test: consents,
    title: 'is not asked for with %s',
  },
  {
    defense: 'no second colleague after a denial',
    file: consentHandlers,
    find: "  if (denied !== undefined) throw tooManyRequests({ limit: 'a colleague has denied this', wait: denied - now, now })\n",
    replace: '',
    test: consents,
    title: 'is not asked of the next colleague for 15 minutes after a denial',
  },
  {
    defense: 'the number of requests for consent',
    file: 'src/service/rules/consent.ts',
    find: 'limit: 20',
    replace: 'limit: 20_000',
    test: consents,
    title: 'is asked for at most 20 times in an hour by an administrator, and the others are still shown',
  },
  {
    defense: 'no request for what the agent must not do even with a consent',
    file: consentHandlers,
    find: '    await authorizeAdministrator(call, signedIn(call), endpoint, idsIn(userId, parameters))\n',
    replace: '',
    test: consents,
    title: 'is not asked for by an agent who must not do the action even with it',
  },
  {
    defense: 'a preview that a newer one has replaced is told so',
    file: 'src/service/console/bulk/prepare.ts',
    find: '  if (await setBulkPeople(db, id, people)) return\n',
    replace: '  if ((await setBulkPeople(db, id, people)) || people >= 0) return\n',
    test: 'service/conflicts.test.ts',
    title: 'are told so by %s, and none is answered with an undeclared error',
  },
  {
    defense: 'what counts in domains that an administrator does not manage',
    file: authorize,
    find: "  if (admin.everywhere) await (userId === '' ? requireWholeOrganization(scope) : requireEveryDomain(scope, userId))\n",
    replace: '',
    test: people,
    title: 'does not change what counts in domains that it does not manage',
  },
  {
    defense: 'the people of other domains in a search',
    file: 'src/service/store/people.ts',
    find: 'const isVisible = (is: IsUser, { everyone, domainIds }: Slots<Visible>) =>\n  is.or([\n    sql<SqlBool>`${everyone} = 1`,',
    replace:
      'const isVisible = (is: IsUser, { everyone, domainIds }: Slots<Visible>) =>\n  is.or([\n    sql<SqlBool>`${everyone} >= 0`,',
    test: people,
    title: 'sees only its people, and nothing of their other domains',
  },
  {
    defense: 'the other domains of a person',
    file: 'src/service/store/belongings.ts',
    find: '(await domainsOf(db, userIds)).filter(isVisible)',
    replace: 'await domainsOf(db, userIds)',
    test: people,
    title: 'sees only its people, and nothing of their other domains',
  },
  {
    defense: 'the console shows no pending activation code',
    file: 'src/contract/admin/people.ts',
    find: 'Token.omit({ code: true }).extend({ domain: Id,',
    replace: 'Token.extend({ domain: Id,',
    test: people,
    title: 'does not show a pending activation code',
  },
  {
    defense: 'the own record of an administrator as a user',
    file: ownRecord,
    find: '  user.id === administrator.userId ||\n',
    replace: '',
    test: access,
    title: 'is closed to $name in the role $as',
  },
  {
    defense: 'users with the e-mail address of the administrator',
    file: ownRecord,
    find: 'user.email.toLowerCase() === administrator.email.toLowerCase()',
    replace: 'user.email === `${administrator.email}.`',
    test: access,
    title: 'is closed to $name in the role $as',
  },
  {
    defense: 'the domains of an administrator',
    file: scope,
    find: '    (domainIds === null || domainIds.includes(id)) && (await domainById(db, organizationId, id)) !== undefined,',
    replace: '    (await domainById(db, organizationId, id)) !== undefined && domainIds !== undefined,',
    also: [
      {
        file: scope,
        find: '  return domainIds === null || isMemberOfSome(db, id, domainIds)\n',
        replace: '  return domainIds !== undefined\n',
      },
    ],
    test: access,
    title: 'do not exist for $name in the role $as',
  },
  {
    defense: 'a consent by an administrator of every domain that it works in',
    file: standingConsent,
    find: 'concerned.every((id) => domainIds.includes(id))',
    replace: 'concerned.some((id) => domainIds.includes(id))',
    test: people,
    title: 'gets a consent only from administrators of every domain in which it could use it',
  },
  {
    defense: 'access that is checked again after a late body',
    file: 'src/service/http/rest.ts',
    find: '      if (ctx.clock.now() !== since) await admitted.requireUnchanged()\n',
    replace: '',
    test: lateBodies,
    title: 'changes nothing after its key was revoked',
  },
  {
    defense: 'an API key after a late body',
    file: 'src/service/http/key-access.ts',
    find: '          if (present?.role !== role || present.domainId !== domainId) throw unauthorized(options.vendor)\n',
    replace: '',
    test: lateBodies,
    title: 'changes nothing after its key was revoked',
  },
]
