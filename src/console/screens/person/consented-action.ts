import type { Consent } from '../../../admin-contract/consents.ts'
import type { PersonActions } from './person-action.ts'
import type { PersonAction } from './action.ts'

type Starter = (actions: PersonActions, parameter: (name: string) => string) => PersonAction

const starters: Readonly<Record<string, Starter>> = {
  unlockPerson: ({ unlock }) => unlock(),
  endPersonSessions: ({ endSessions }) => endSessions(),
  resetPerson: ({ reset }) => reset(),
  issuePersonToken: ({ issueToken }, parameter) => issueToken(parameter('domainId')),
  revokePersonToken: ({ revokeToken }, parameter) => revokeToken(parameter('domainId')),
  assignPersonHardware: ({ assignHardware }, parameter) => assignHardware(parameter('serialNumber')),
  releasePersonHardware: ({ releaseHardware }) => releaseHardware(),
  resynchronizePersonHardware: ({ resynchronizeHardware }) => resynchronizeHardware(),
  createPersonBypassCode: ({ createCode }) => createCode(),
  deletePersonBypassCodes: ({ deleteCodes }) => deleteCodes(),
  deletePersonPasskey: ({ deletePasskey }, parameter) => deletePasskey(parameter('passkeyId')),
  sendEnrollmentMail: ({ sendMail }, parameter) => sendMail([parameter('domainId')]),
  showEnrollmentLink: ({ showLink }, parameter) => showLink(parameter('domainId')),
  changePersonEmail: ({ changeEmail }) => changeEmail(),
}

/** The action that a colleague has consented to, with the values of the request. */
export function consentedAction(
  actions: PersonActions,
  { operation, parameters }: Pick<Consent, 'operation' | 'parameters'>,
): PersonAction | undefined {
  const action = starters[operation]?.(actions, (name) => String(parameters[name] ?? ''))
  return action && { ...action, values: parameters }
}
