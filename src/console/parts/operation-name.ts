import type { Words } from '../texts/en.ts'
import { useWords } from '../words/speech.tsx'

/** The words for the operations that the help desk asks others to consent to. */
const actionOf: Readonly<Record<string, keyof Words['actions']>> = {
  issuePersonToken: 'issueToken',
  revokePersonToken: 'revokeToken',
  assignPersonHardware: 'assignHardware',
  releasePersonHardware: 'releaseHardware',
  createPersonBypassCode: 'createCode',
  deletePersonBypassCodes: 'deleteCodes',
  deletePersonPasskey: 'deletePasskey',
  resetPerson: 'reset',
  unlockPerson: 'unlock',
  endPersonSessions: 'endSessions',
}

const mailActionOf: Readonly<Record<string, 'send' | 'link' | 'email'>> = {
  sendEnrollmentMail: 'send',
  showEnrollmentLink: 'link',
  changePersonEmail: 'email',
}

/** Names an operation of the contract as its button does. */
export function useOperationName(): (operation: string) => string {
  const words = useWords()
  return (operation) => {
    const [action, mailAction] = [actionOf[operation], mailActionOf[operation]]
    if (operation === 'resynchronizePersonHardware') return words.stock.resynchronize.button
    if (mailAction !== undefined) return words.mail[mailAction].button
    return action === undefined ? operation : words.actions[action].button
  }
}
