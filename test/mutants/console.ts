import type { Mutant } from './mutant.ts'

const attacks = 'attacks/console.test.ts'
const lateBodies = 'attacks/held-back-bodies.test.ts'
const access = 'service/features/administrators/access.test.ts'
const signIn = 'service/features/administrators/sign-in.test.ts'
const administrators = 'service/features/administrators/administrators.test.ts'
const people = 'service/features/people/console.test.ts'
const mounting = 'service/features/administrators/mounting.test.ts'
const lockout = 'attacks/console-lockout.test.ts'

const refusedSignIn = 'is refused with %s'
const refusedInvitation = 'is not accepted with %s'

const authorize = 'src/service/features/administrators/authorize.ts'
const ownRecord = 'src/service/features/administrators/own-record.ts'
const storedConsents = 'src/service/features/administrators/consent-statements.ts'
const standingConsent = 'src/service/features/administrators/standing-consent.ts'
const consentHandlers = 'src/service/features/administrators/consents.ts'
const consents = 'service/features/administrators/consents.test.ts'
const ownRecords = 'service/features/administrators/own-record.test.ts'
const scope = 'src/service/features/administrators/scope.ts'
const ceremonies = 'src/service/features/administrators/ceremonies.ts'
const consoleAccess = 'src/service/features/administrators/access.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the table of roles in the console',
    file: authorize,
    find: "  if (!mayCall(administrator.role, { method, admin })) throw new ApiProblem('api.error.forbidden')\n",
    replace: '',
    test: access,
    title: 'the console operation $name is forbidden for the role $as, whatever it names',
  },
  {
    defense: 'an auditor changes nothing',
    file: 'src/contract/roles.ts',
    find: "  owner: { read: ['auditor', 'owner'], change: ['owner'] },",
    replace: "  owner: { read: ['auditor', 'owner'], change: ['auditor', 'owner'] },",
    test: access,
    title: 'the console operation $name is forbidden for the role $as, whatever it names',
  },
  {
    defense: 'the session that each operation of the console needs',
    file: authorize,
    find: '  if (!administrator) throw notSignedIn()\n',
    replace: '  if (!administrator) return\n',
    test: access,
    title: 'an administrator whose access was revoked cannot call $name',
  },
  {
    defense: 'the organization of another administrator',
    file: scope,
    find: '    if (other?.organizationId !== administrator.organizationId) return false\n',
    replace: '    if (!other) return false\n',
    also: [
      {
        file: 'src/service/features/administrators/administration.ts',
        find: '  if (row?.organizationId !== organizationId) throw notFound()',
        replace: '  if (!row || organizationId === undefined) throw notFound()',
      },
    ],
    test: access,
    title: 'ids of another organization do not exist for $name in the role $as',
  },
  {
    defense: 'the own record of an administrator',
    file: ownRecord,
    find: 'administratorId === administrator.id || ',
    replace: '',
    test: access,
    title: 'an administrator’s own record is closed to $name in the role $as',
  },
  {
    defense: 'the age of a pass that allows changes',
    file: authorize,
    find: "  if (admin.fresh && !isFresh(administrator.session, now)) throw new ApiProblem('api.error.forbidden.fresh')\n",
    replace: '',
    test: access,
    title: 'a pass that is older than 5 minutes is refused by $name',
  },
  {
    defense: 'the origin of each change',
    file: 'src/service/features/administrators/same-origin.ts',
    find: 'headers.origin !== origin',
    replace: '(headers.origin !== undefined && headers.origin !== origin)',
    test: attacks,
    title: 'the console rejects a change whose request has no Origin header',
  },
  {
    defense: 'the whole origin counts, not its host',
    file: 'src/service/features/administrators/same-origin.ts',
    find: 'headers.origin !== origin',
    replace: '!headers.origin?.endsWith(new URL(origin).hostname)',
    test: attacks,
    title: 'a page of another origin cannot make an administrator change anything: %s',
  },
  {
    defense: 'reads by pages of other origins',
    file: 'src/service/features/administrators/same-origin.ts',
    find: "site === 'cross-site' || site === 'same-site'",
    replace: "site === 'cross-site'",
    test: attacks,
    title: 'a page reads nothing from the console when the browser marks its request as %s',
  },
  {
    defense: 'sessions end with the access of their administrator',
    file: 'src/service/features/administrators/session-statements.ts',
    find: "    .where('administrator.revokedAt', 'is', null),",
    replace: '    ,',
    also: [
      {
        file: 'src/service/features/administrators/statements.ts',
        find: '  await removeAdministratorSessions(db, id)\n',
        replace: '',
      },
    ],
    test: attacks,
    title: 'a stolen console cookie gets nothing from $name after the administrator was revoked',
  },
  {
    defense: 'invitations end with the access of the administrator who made them',
    file: 'src/service/features/administrators/statements.ts',
    find: '  await removeInvitationsBy(db, id)\n  return true\n}\n\nconst revoke',
    replace: '  return true\n}\n\nconst revoke',
    test: attacks,
    title: 'a revoked administrator cannot come back with an invitation that they made before',
  },
  {
    defense: 'invitations end with the role of the administrator who made them',
    file: 'src/service/features/administrators/statements.ts',
    find: '  await removeInvitationsBy(db, id)\n  for',
    replace: '  for',
    test: attacks,
    title: 'a demoted owner cannot use an invitation that they made as an owner',
  },
  {
    defense: 'an invitation is used up by the registration',
    file: 'src/service/features/administrators/invitation-statements.ts',
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
    title: 'a console invitation is accepted once when four browsers race',
  },
  {
    defense: 'a ceremony belongs to its invitation',
    file: ceremonies,
    find: '  consoleOf(call).rpId,\n  subject,\n',
    replace: '  consoleOf(call).rpId,\n  subject && kind,\n',
    test: attacks,
    title: 'a registration that was started with one invitation cannot be finished with another',
  },
  {
    defense: 'a ceremony of the console takes one answer',
    file: 'src/service/features/administrators/sign-in.ts',
    find: 'if (currentRow?.revokedAt !== null || !(await useCeremony(db, call, assertion.ceremony))) return undefined',
    replace: 'if (currentRow?.revokedAt !== null) return undefined',
    test: signIn,
    title: 'a console sign-in accepts each answer once',
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
    file: 'src/service/features/administrators/sign-in.ts',
    find: 'administrator?.revokedAt === null && response.userHandle === administrator.userHandle',
    replace: 'administrator?.revokedAt === null && typeof response.userHandle !== undefined',
    test: signIn,
    title: refusedSignIn,
  },
  {
    defense: 'a confirmation takes a passkey of the same administrator',
    file: 'src/service/features/administrators/sign-in.ts',
    find: 'const ownPasskey = administrator?.id === id ? passkey : undefined',
    replace: 'const ownPasskey = administrator ? passkey : undefined',
    test: signIn,
    title: 'a console change is not allowed by the passkey of another administrator',
  },
  {
    defense: 'backup eligibility of a passkey of the console never changes',
    file: 'src/service/features/administrators/passkey-statements.ts',
    find: "\n      .where('syncable', '=', use.syncable),",
    replace: ',',
    test: signIn,
    title: refusedSignIn,
  },
  {
    defense: 'public keys of the console belong to one administrator',
    file: 'src/service/features/administrators/passkey-statements.ts',
    find: "  const opened = secrets.open(publicKey, { kind: 'administrator passkey', id, userId: administratorId })",
    replace: `  const record = { kind: 'administrator passkey', id, userId: administratorId } as const
  const opened = publicKey.length > 0 ? keyOfAnyone(secrets, publicKey, record) : ''`,
    also: [
      {
        file: 'src/service/features/administrators/passkey-statements.ts',
        find: '  secrets.seal(Buffer.from(publicKey)',
        replace: "  'plain:' + Buffer.from(publicKey).toString('base64url') || secrets.seal(Buffer.from(publicKey)",
      },
      {
        file: 'src/service/features/administrators/passkey-statements.ts',
        find: '/** @throws {UnsealError} if it was changed, or belongs to another passkey or administrator. */',
        replace: `const keyOfAnyone = (secrets: Secrets, sealed: string, of: Parameters<Secrets['open']>[1]): string =>
  sealed.startsWith('plain:') ? sealed.slice(6) : secrets.open(sealed, of)

/** */`,
      },
    ],
    test: attacks,
    title: 'a database writer without keys cannot give an administrator the passkey of another one',
  },
  {
    defense: 'the version of an administrator',
    file: 'src/service/features/administrators/administration.ts',
    find: '    if (version !== undefined && version !== before.version) throw changedMeanwhile(before)\n',
    replace: '',
    test: administrators,
    title: 'an administrator cannot be changed under an outdated version',
  },
  {
    defense: 'the idle time of a session in the console',
    file: 'src/service/features/administrators/rules.ts',
    find: 'now >= usedAt + sessionIdle || ',
    replace: '',
    test: signIn,
    title: 'a console session ends after 30 minutes without a request',
  },
  {
    defense: 'a page that waits does not keep its session alive',
    file: 'src/service/features/administrators/access.ts',
    find: 'if (administrator && headers.prefer === undefined) await',
    replace: 'if (administrator) await',
    test: signIn,
    title: 'a console session is not kept alive by a page that waits for changes',
  },
  {
    defense: 'the lifetime of a session in the console',
    file: 'src/service/features/administrators/rules.ts',
    find: 'now >= signedInAt + sessionLifetime || ',
    replace: '',
    test: signIn,
    title: 'a console session ends after 8 hours',
  },
  {
    defense: 'the host of the console serves nothing else',
    file: 'src/service/engine/front/console.ts',
    find: '    isOfHost(req, address) ? next() : handle(req, res, next)',
    replace: '    isOfHost(req, address) && req.url === undefined ? next() : handle(req, res, next)',
    test: mounting,
    title: 'the host of the console serves nothing else',
  },
  {
    defense: 'other hosts do not serve the console',
    file: 'src/service/engine/front/console.ts',
    find: '    if (!isOfHost(req, address)) {',
    replace: '    if (isLoopbackOf(address, req.headers.host)) {',
    test: mounting,
    title: 'consoleFor() serves the console of %s at any path of an app, for its own host',
  },
  {
    defense: 'the limit of anonymous attempts for each address in the console',
    file: consoleAccess,
    find: 'if (organization === undefined) rates.byAddress.take(networkOf(from))',
    replace: 'if (organization === undefined) networkOf(from)',
    test: lockout,
    title: 'console requests without a credential are refused after 20 from one address in a second',
  },
  {
    defense: 'a sign-in has the budget of its passkey',
    file: 'src/service/features/administrators/sign-in.ts',
    find: 'countUnsigned(passkey && `passkey ${passkey.id}`)',
    replace: 'countUnsigned(passkey && undefined)',
    test: lockout,
    title: 'a flood of requests without a credential keeps no administrator from signing in',
  },
  {
    defense: 'a registration has the budget of its invitation',
    file: 'src/service/features/administrators/registration.ts',
    find: 'countUnsigned(invitation && `invitation ${invitation.id}`)',
    replace: 'countUnsigned(invitation && undefined)',
    test: lockout,
    title: 'a flood of requests without a credential keeps no one from accepting an invitation',
  },
  {
    defense: 'a confirmation belongs to one session',
    file: 'src/service/features/administrators/sign-in.ts',
    find: "({ kind: 'confirm', subject: signedIn(call).session.hash })",
    replace: "({ kind: 'confirm', subject: signedIn(call).id })",
    test: lockout,
    title: 'a console challenge confirms nothing in another session of the same administrator',
  },
  {
    defense: 'a challenge of the console names what it is for',
    file: ceremonies,
    find: "  'console',\n  kind,\n",
    replace: "  'console',\n  kind && 'any',\n",
    also: [
      {
        file: 'src/service/features/administrators/sign-in.ts',
        find: "({ kind: 'confirm', subject: signedIn(call).session.hash })",
        replace: "({ kind: 'confirm', subject: signedIn(call).session.hash && '' })",
      },
    ],
    test: lockout,
    title: 'a console challenge that was made for a confirmation signs no one in',
  },
  {
    defense: 'a challenge confirms once',
    file: 'src/service/features/administrators/sign-in.ts',
    find: 'if (!(await useCeremony(db, inside, assertion.ceremony)) || !(await use(db, inside, ownPasskey, assertion)))',
    replace: 'if (!(await use(db, inside, ownPasskey, assertion)))',
    test: lockout,
    title: 'a console challenge confirms only once',
  },
  {
    defense: 'a challenge adds one passkey',
    file: 'src/service/features/administrators/own-passkeys.ts',
    find: '    if (!(await useCeremony(db, call, ceremony))) throw ceremonyEnded()\n',
    replace: '',
    test: lockout,
    title: 'a used console challenge does not add a removed passkey again',
  },
  {
    defense: 'the consent that the help desk needs',
    file: 'src/service/features/administrators/guard.ts',
    find: 'return endpoint.admin?.guarded === true ?',
    replace: "return endpoint.admin?.guarded === 'sometimes' ?",
    test: people,
    title: 'the help desk resets a person once, after another administrator has consented',
  },
  {
    defense: 'a consent is used once',
    file: storedConsents,
    find: ".set({ state: 'used' })",
    replace: ".set({ state: 'given' })",
    test: people,
    title: 'the help desk resets a person once, after another administrator has consented',
  },
  {
    defense: 'a consent is for one person and agent',
    file: storedConsents,
    find: "is.and(pick(slots, ['requestedBy', 'userId'])))\n    .where('state', '=', 'given')",
    replace: "is.and(pick(slots, ['userId'])))\n    .where('state', '=', 'given')",
    test: people,
    title: 'the help desk cannot use a consent for another action, another person, or as another agent',
  },
  {
    defense: 'the end of a consent',
    file: storedConsents,
    find: "    .where('state', '=', 'given')\n    .where('expiresAt', '>', now),",
    replace: "    .where('state', '=', 'given')\n    .where('expiresAt', '>', 0),",
    test: people,
    title: 'the help desk cannot use a consent after 15 minutes, or one that was denied',
  },
  {
    defense: 'no administrator consents to its own request by a second account',
    file: 'src/service/features/administrators/rules.ts',
    find: 'first.email.toLowerCase() === second.email.toLowerCase() || ',
    replace: '',
    test: people,
    title: 'the help desk gets no consent from itself, a second account of the agent, or the person concerned',
  },
  {
    defense: 'the person does not consent to what is about them',
    file: standingConsent,
    find: "!isRequester && (await ownership(db, colleague, person)) === 'other'",
    replace: '!isRequester && person.id !== db.toString()',
    test: people,
    title: 'the help desk gets no consent from itself, a second account of the agent, or the person concerned',
  },
  {
    defense: 'a denial after a consent',
    file: storedConsents,
    find: "    .set({ state: 'denied', decidedBy })\n    .where('id', '=', id)\n    .where('state', 'in', ['pending', 'given']),",
    replace:
      "    .set({ state: 'denied', decidedBy })\n    .where('id', '=', id)\n    .where('state', 'in', ['pending']),",
    test: consents,
    title: 'any administrator can deny a consent, also after another has given it, until it is used',
  },
  {
    defense: 'a denied consent is not given',
    file: storedConsents,
    find: "set({ state: 'given', decidedBy }).where('id', '=', id).where('state', '=', 'pending')",
    replace: "set({ state: 'given', decidedBy }).where('id', '=', id)",
    also: [{ file: consentHandlers, find: "row.state !== 'pending' || ", replace: '' }],
    test: consents,
    title: 'any administrator can deny a consent, also after another has given it, until it is used',
  },
  {
    defense: 'one open request of an administrator about a person',
    file: consentHandlers,
    find: '    await removeOpenConsents(db, { requestedBy, userId })\n',
    replace: '',
    test: consents,
    title: 'a consent is asked for once at a time: a second request about the same person replaces the first',
  },
  {
    defense: 'the domains in which a consent counts',
    file: standingConsent,
    find: '  if (consentDigest(await subjectOf(db, endpoint, input, now)) !== row.digest) return false\n',
    replace: '',
    test: consents,
    title: 'a consent is void as soon as the person belongs to another domain',
  },
  {
    defense: 'the right of the colleague when a consent is used',
    file: standingConsent,
    find: '  return colleague !== undefined && mayGive(db, colleague, { row, requester, person })\n',
    replace: '  return colleague?.id !== requester.id\n',
    test: consents,
    title: 'a consent does not count once the colleague %s',
  },
  {
    defense: 'the domains of the colleague when a consent is used',
    file: standingConsent,
    find: '!mayCall(colleague.role, giveConsent) || !managesConsent(colleague, row)',
    replace: '!mayCall(colleague.role, giveConsent)',
    test: consents,
    title: 'a consent does not count once the colleague %s',
  },
  {
    defense: 'parameters that the operation itself would accept',
    file: 'src/service/features/administrators/consent-subject.ts',
    find: "const excludedNames = ['userId', 'because', ...(admin?.secrets ?? [])]",
    replace: "const excludedNames = ['userId', 'because']",
    test: consents,
    title: 'a consent is not asked for with %s',
  },
  {
    defense: 'no second colleague after a denial',
    file: consentHandlers,
    find: "  if (denied !== undefined) throw tooManyRequests({ limit: 'a colleague has denied this', wait: denied - now, now })\n",
    replace: '',
    test: consents,
    title: 'a consent to the same change cannot be asked for again for 15 minutes after a denial',
  },
  {
    defense: 'the number of requests for consent',
    file: 'src/service/features/administrators/rules.ts',
    find: 'limit: 20',
    replace: 'limit: 20_000',
    test: consents,
    title: 'an administrator asks for at most 20 consents in an hour, and those of others are still shown',
  },
  {
    defense: 'no request for what the agent must not do even with a consent',
    file: consentHandlers,
    find: '    await authorizeAdministrator(call, signedIn(call), endpoint, idsIn(userId, parameters))\n',
    replace: '',
    test: consents,
    title: 'the help desk cannot ask for consent to an action that no consent allows',
  },
  {
    defense: 'a preview that a newer one has replaced is told so',
    file: 'src/service/features/bulk-jobs/prepare.ts',
    find: '  if (await setBulkPeople(db, id, people)) return\n',
    replace: '  if ((await setBulkPeople(db, id, people)) || people >= 0) return\n',
    test: 'service/conflicts.test.ts',
    title: '%s tells conflicting requests of the conflict, and answers none with an undeclared error',
  },
  {
    defense: 'what counts in domains that an administrator does not manage',
    file: authorize,
    find: "  if (admin.everywhere) await (userId === '' ? requireWholeOrganization(scope) : requireEveryDomain(scope, userId))\n",
    replace: '',
    test: people,
    title: 'an administrator of one domain does not change what counts in domains that it does not manage',
  },
  {
    defense: 'the people of other domains in a search',
    file: 'src/service/features/people/filters.ts',
    find: 'const isVisible = (is: IsUser, { everyone, domainIds }: Slots<Visible>) =>\n  is.or([sql<SqlBool>`${everyone} = 1`,',
    replace:
      'const isVisible = (is: IsUser, { everyone, domainIds }: Slots<Visible>) =>\n  is.or([sql<SqlBool>`${everyone} >= 0`,',
    test: people,
    title: 'an administrator of one domain sees only its people, and nothing of their other domains',
  },
  {
    defense: 'the other domains of a person',
    file: 'src/service/features/users/belongings.ts',
    find: '(await domainsOf(db, userIds)).filter(isVisible)',
    replace: 'await domainsOf(db, userIds)',
    test: people,
    title: 'an administrator of one domain sees only its people, and nothing of their other domains',
  },
  {
    defense: 'the console shows no pending activation code',
    file: 'src/admin-contract/people.ts',
    find: 'Token.omit({ code: true }).extend({ domain: Id,',
    replace: 'Token.extend({ domain: Id,',
    test: people,
    title: 'the console does not show a pending activation code of a person',
  },
  {
    defense: 'the own record of an administrator as a user',
    file: ownRecord,
    find: ' || (userId !== undefined && userId === administrator.userId)',
    replace: '',
    test: access,
    title: 'an administrator’s own record is closed to $name in the role $as',
  },
  {
    defense: 'the consent to changes of a person with the e-mail address of the administrator',
    file: 'src/service/features/administrators/guard.ts',
    find: '  if (!(await needsColleague(call, endpoint, input)))\n',
    replace: '  if (call || !(await needsColleague(call, endpoint, input)))\n',
    test: ownRecords,
    title: '$name by an administrator alone does not change a person with the administrator’s e-mail address',
  },
  {
    defense: 'no verified caller for a person with the e-mail address of the administrator',
    file: 'src/service/features/administrators/guard.ts',
    find: "  if (!consent) throw new ApiProblem('api.error.forbidden.sameaddress')\n",
    replace: '  if (!consent) return undefined\n',
    test: ownRecords,
    title:
      'an administrator with the e-mail address of a verified caller cannot change that person, who may be the administrator',
  },
  {
    defense: 'the word of an owner about a person with the e-mail address of the administrator',
    file: ownRecord,
    find: "=== undefined ? 'undecided' : 'other'",
    replace: "=== '' ? 'other' : 'undecided'",
    test: ownRecords,
    title:
      'a person who takes over an administrator’s e-mail address is not immune: an owner says they are somebody else',
  },
  {
    defense: 'no word of a second account about its own record',
    file: 'src/service/features/administrators/administration.ts',
    find: "  if (owner && isSamePerson(owner, administrator)) throw new ApiProblem('api.error.forbidden.own')\n",
    replace: "  if (owner?.id === administrator.id) throw new ApiProblem('api.error.forbidden.own')\n",
    test: ownRecords,
    title:
      'only another owner decides about an administrator’s own record, never the administrator or their second account',
  },
  {
    defense: 'the digest of the action that uses a consent up',
    file: 'src/service/features/administrators/guard.ts',
    find: ' || consent.digest !== consentDigest(subject)) return',
    replace: ') return',
    test: consents,
    title: 'a consent is not used for %s than the colleague has seen',
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
    title: 'ids of another domain do not exist for $name in the role $as',
  },
  {
    defense: 'a consent by an administrator of every domain that it works in',
    file: standingConsent,
    find: 'concerned.every((id) => domainIds.includes(id))',
    replace: 'concerned.some((id) => domainIds.includes(id))',
    test: people,
    title: 'the help desk gets a consent only from administrators of every domain in which it could use it',
  },
  {
    defense: 'access that is checked again after a late body',
    file: 'src/service/engine/http/rest.ts',
    find: '      if (ctx.clock.now() !== since) await admission.requireUnchanged()\n',
    replace: '',
    test: lateBodies,
    title: 'an app that sends the body of a request late changes nothing after its API key was revoked',
  },
  {
    defense: 'an API key after a late body',
    file: 'src/service/engine/http/key-access.ts',
    find: '          if (currentKey?.role !== role || currentKey.domainId !== domainId) throw unauthorized(options.vendor)\n',
    replace: '',
    test: lateBodies,
    title: 'an app that sends the body of a request late changes nothing after its API key was revoked',
  },
  {
    defense: 'an API key after a held read',
    file: 'src/service/engine/http/rest.ts',
    find: '    if (!isFirst) await admission.requireUnchanged()\n',
    replace: '',
    test: lateBodies,
    title: 'an app whose read is held learns nothing after its API key was revoked',
  },
  {
    defense: 'the rights of an administrator during an export',
    file: 'src/service/features/administrators/same-rights.ts',
    find: '    await noteUse(call, await requireSameRights(call))\n',
    replace: '',
    test: 'service/features/administrators/audit.test.ts',
    title: 'an export ends for an administrator who has lost the access, the role or domains meanwhile',
  },
]
