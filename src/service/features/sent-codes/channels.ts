import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import type { Call } from '../../engine/http/route.ts'
import { codeMail } from '../../engine/mail/code-mail.ts'
import type { CodeMail } from '../../engine/mail/code-mail.ts'
import type { UserRow } from '../users/statements.ts'

/** How the codes of a factor are sent. */
interface Channel {
  /** What the caller reads of its codes and of the place they are sent to. */
  readonly words: { readonly code: string; readonly place: string }
  /**
   * Writes a message with a code.
   * @returns sends it, and resolves when it was accepted.
   * @throws {Error} where nothing sends such messages.
   */
  readonly write: (call: Pick<Call, 'senders'>, user: UserRow, content: CodeMail) => Promise<() => Promise<void>>
}

export const channels = {
  email: {
    words: { code: 'e-mailed code', place: 'an e-mail address' },
    async write({ senders: { email } }, { email: to }, content) {
      if (!email) throw new Error('Codes cannot be e-mailed, because the option smtp is not set.')
      const mail = await codeMail(content)
      return () => email.send({ ...mail, to })
    },
  },
} as const satisfies Readonly<Record<SentFactor, Channel>>
