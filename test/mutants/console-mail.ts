import type { Change, Mutant } from './mutant.ts'

const mails = 'service/features/people/enrollment-mails.test.ts'
const mayMail = 'src/service/features/people/may-mail.ts'
const sending = 'src/service/features/people/enrollment-mail.ts'
const handlers = 'src/service/features/people/enrollment.ts'
const mailbox = 'src/service/features/devices/feature.ts'

const withoutDeviceCheck: Change = {
  file: sending,
  find: "  if ((await tokenOf(db, domain.id, id))?.state === 'active') throw new ApiProblem('api.error.conflict.device')\n",
  replace: '',
}
const meanwhile =
  'an enrollment mail has no working link if a device is set up or the administrator loses access meanwhile'
const decision =
  'the enrollment decision keeps administrators from their own record and the help desk from a person who said No'

export const mutants: readonly Mutant[] = [
  {
    defense: 'a device that is set up while a mail is on its way',
    ...withoutDeviceCheck,
    test: mails,
    title: meanwhile,
  },
  {
    defense: 'the access of the administrator when the mail was accepted',
    file: sending,
    find: 'await change((inside) => store(',
    replace: 'await undecided(call)((inside) => store(',
    test: mails,
    title: meanwhile,
  },
  {
    defense: 'the own record of an administrator who mails many people',
    file: mayMail,
    find: '  if (isOwnRecord(administrator, { userId: id }))',
    replace: "  if (id === '')",
    test: mails,
    title: decision,
  },
  {
    defense: 'a No to the help desk, which mails many people',
    file: mayMail,
    find: "administrator.role === 'helpdesk' && (await isHelpDeskBlocked",
    replace: "administrator.role === 'auditor' && (await isHelpDeskBlocked",
    test: mails,
    title: decision,
  },
  {
    defense: 'a verified caller or a consent for mail to an address that has changed',
    file: mayMail,
    find: 'isAddressSettled(user, now)) return false',
    replace: '!isAddressSettled(user, now)) return false',
    test: mails,
    title: 'the help desk needs a verified caller or a consent to mail an address that %s changed within 7 days',
  },
  {
    defense: 'an address that changed 7 days ago',
    file: 'src/service/features/people/rules.ts',
    find: 'emailChangedAt === null || notAfter(emailChangedAt, now) + addressSettlesIn <= now',
    replace: 'emailChangedAt === null || notAfter(emailChangedAt, now) + addressSettlesIn <= now + 1',
    test: mails,
    title: 'the help desk needs a verified caller or a consent to mail an address that %s changed within 7 days',
  },
  {
    defense: 'the guard of a link on the screen',
    file: 'src/admin-contract/enrollment.ts',
    find: "  response: EnrollmentLink,\n  since: '1.4',\n  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true },\n",
    replace:
      "  response: EnrollmentLink,\n  since: '1.4',\n  admin: { role: 'helpdesk', scope: 'domain', fresh: true },\n",
    test: mails,
    title: 'the help desk sees an enrollment link on the screen only with a verified caller or a consent',
  },
  {
    defense: 'no mail replaces a device',
    file: mayMail,
    find: "  if ((await tokenOf(db, domain.id, userId))?.state === 'active') return",
    replace: "  if ((await tokenOf(db, domain.id, userId))?.state !== 'active') {} else if (user.id === '') return",
    also: [withoutDeviceCheck],
    test: mails,
    title: 'an enrollment mail replaces no device, and is sent to no one without an address',
  },
  {
    defense: 'the number of enrollment mails to a person',
    file: 'src/service/features/people/rules.ts',
    find: 'export const mailsToPerson = { limit: 3,',
    replace: 'export const mailsToPerson = { limit: 4,',
    test: mails,
    title: 'a person gets three enrollment mails in 24 hours, even when more are sent at once',
  },
  {
    defense: 'mails to one person are counted one after the other',
    file: sending,
    find: 'await prepare((inside) => reserve(inside, mail, evidence))',
    replace: 'await reserve(call, mail, evidence)',
    test: mails,
    title: 'a person gets three enrollment mails in 24 hours, even when more are sent at once',
  },
  {
    defense: 'a mail that cannot be sent uses no consent up',
    file: sending,
    find: '&& evidence) await evidence.require(call)',
    replace: '&& evidence) await evidence.use(call)',
    test: mails,
    title: 'the help desk keeps its consent when the mail cannot be sent (address: %s)',
  },
  {
    defense: 'a mail that cannot be sent uses no consent to an equal address up',
    file: 'src/service/features/administrators/change.ts',
    find: "if (!used && part !== 'preparation') await use(",
    replace: 'if (!used) await use(',
    test: mails,
    title: 'the help desk keeps its consent when the mail cannot be sent (address: %s)',
  },
  {
    defense: 'the evidence that is read when the link of a mail begins to work',
    file: sending,
    find: '  if (await needsGuard(db, call, user, domain)) {',
    replace: '  if (email === id) {',
    test: mails,
    title: 'the help desk mails no working link if a colleague denies it while the mail is on its way',
  },
  {
    defense: 'the number of enrollment mails of the help desk',
    file: 'src/service/features/people/rules.ts',
    find: "role === 'helpdesk' ? 200 : 5_000",
    replace: '5_000',
    test: mails,
    title: 'a help desk agent can send 200 enrollment mails a day',
  },
  {
    defense: 'a link works only once its mail was accepted',
    file: sending,
    find: '  const code = newActivationCode(call.random)\n',
    replace:
      '  const code = newActivationCode(call.random)\n  await call.store.db.transaction().execute((db) => store(db, call, { ...reserved, code }))\n',
    test: mails,
    title: 'an enrollment mail that cannot be sent leaves no working link, ends no earlier one, and does not count',
  },
  {
    defense: 'a mailed link ends with the address',
    file: mailbox,
    find: 'expireMailedLinks(db, userIds, now)',
    replace: 'Promise.resolve(void [db, userIds, now])',
    test: mails,
    title: 'a mailed enrollment link stops working when %s changes the address',
  },
  {
    defense: 'the address that a mail went to',
    file: sending,
    find: '  if (user.email !== email) throw readdressed()\n',
    replace: '',
    test: mails,
    title: 'an enrollment mail has no working link if the address changes while it is on its way',
  },
  {
    defense: 'the version that a change of an e-mail address needs',
    file: handlers,
    find: '    if (personVersion(user) !== version) {',
    replace: "    if (version === '') {",
    test: mails,
    title: 'two administrators with the same version change an address once, and the other one reads what changed',
  },
  {
    defense: 'the mail to the old address',
    file: 'src/service/features/people/change-address.ts',
    find: 'userId: user.id, to: user.email }',
    replace: 'userId: user.id }',
    test: mails,
    title: 'changing an e-mail address notifies the person at the old one',
  },
]
