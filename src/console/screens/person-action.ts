import type { Because } from '../../contract/admin/because.ts'
import type { ConsentParameters } from '../../contract/admin/consents.ts'
import type { EnrollmentLink } from '../../contract/admin/enrollment.ts'
import type { Person } from '../../contract/admin/people.ts'
import { linkDays } from '../../contract/admin/link-days.ts'
import { isolated } from '../../printable.ts'
import type { Words } from '../words/en.ts'
import { browsersOf, codesOf, devicesOf, everythingOf, hardwareOf, type Losses, passkeysOf } from './losses.ts'
import { mailActionsOn, type MailedPerson } from './mail-actions.ts'

/** What an administrator enters for an action, besides the reason. */
export interface Entered {
  readonly serialNumber: string
  /** How often a bypass code works. */
  readonly usesAllowed: number
  /** How long a bypass code works, minutes. */
  readonly expirationTime: number
  /** Two codes that a hardware token showed one after the other. */
  readonly first: string
  readonly second: string
  /** How long a link works. */
  readonly days: number
  readonly email: string
  /** The app that a link is for. */
  readonly domainId: string
}

export const nothingEntered: Entered = {
  serialNumber: '',
  usesAllowed: 1,
  expirationTime: 24 * 60,
  first: '',
  second: '',
  days: linkDays.usual,
  email: '',
  domainId: '',
}

/** A code that is shown once. */
export interface ShownCode {
  readonly title: string
  readonly code: string
  /** The link that contains it. */
  readonly link?: Pick<EnrollmentLink, 'link' | 'expiresAt'>
}

/** One thing that an administrator can do for a person. */
export interface PersonAction {
  /** Its name in the contract. */
  readonly operation: string
  /** A question that names the person. */
  readonly title: string
  readonly sentence: string
  /** What the button does. */
  readonly action: string
  /** The reason that a colleague has seen already. */
  readonly because?: Because
  /** What has to be entered. */
  readonly asks?: 'serialNumber' | 'bypassCode' | 'twoCodes' | 'days' | 'email'
  /** What was entered elsewhere. */
  readonly entered?: Partial<Entered>
  /** What the operation is called with, besides the person, the reason and secrets. */
  readonly parameters?: (entered: Entered) => ConsentParameters
  /** Takes nothing away. */
  readonly harmless?: boolean
  /** The apps to choose from, for a link. */
  readonly apps?: readonly string[]
  /** What it removes of what the person has now. */
  readonly removes?: (person: Person) => Losses
  /** What is said afterwards. */
  readonly done: string
  readonly run: (because: Because, entered: Entered) => Promise<ShownCode | undefined>
}

/** The actions on a person, as the buttons of its page start them. */
export function actionsOn(about: MailedPerson) {
  const { client, words, person } = about
  const name = isolated(person.name)
  const params = { userId: person.id }
  const texts = words.actions
  const without = (call: Promise<unknown>) => call.then(() => undefined)
  const named = (action: keyof Words['actions']) => {
    const { button, title, sentence, done } = texts[action]
    return { action: button, title: title(name), sentence, done: done(name) }
  }
  const endSessions = (): PersonAction => ({
    ...named('endSessions'),
    operation: 'endPersonSessions',
    removes: browsersOf,
    run: (because) => without(client.call('POST /admin/people/:userId/end-sessions', { params, body: { because } })),
  })
  return {
    ...mailActionsOn(about),
    unlock: (): PersonAction => ({
      ...named('unlock'),
      operation: 'unlockPerson',
      harmless: true,
      run: (because) => without(client.call('POST /admin/people/:userId/unlock', { params, body: { because } })),
    }),
    issueToken: (domainId: string): PersonAction => ({
      ...named('issueToken'),
      operation: 'issuePersonToken',
      parameters: () => ({ domainId }),
      harmless: true,
      async run(because) {
        const { code } = await client.call('POST /admin/people/:userId/domains/:domainId/token', {
          params: { ...params, domainId },
          body: { because },
        })
        return code === undefined ? undefined : { title: words.activationCodeFor(name), code }
      },
    }),
    revokeToken: (domainId: string): PersonAction => ({
      ...named('revokeToken'),
      operation: 'revokePersonToken',
      removes: (has) => ({ ...devicesOf(has, domainId), ...browsersOf(has) }),
      parameters: () => ({ domainId }),
      run: (because) =>
        without(
          client.call('POST /admin/people/:userId/domains/:domainId/token/revoke', {
            params: { ...params, domainId },
            body: { because },
          }),
        ),
    }),
    assignHardware: (serial = ''): PersonAction => ({
      ...named('assignHardware'),
      operation: 'assignPersonHardware',
      removes: browsersOf,
      parameters: ({ serialNumber }) => ({ serialNumber }),
      asks: 'serialNumber',
      entered: { serialNumber: serial },
      harmless: true,
      run: (because, { serialNumber }) =>
        without(client.call('POST /admin/people/:userId/hardware', { params, body: { because, serialNumber } })),
    }),
    resynchronizeHardware: (): PersonAction => {
      const { button, title, sentence, done } = words.stock.resynchronize
      return {
        action: button,
        title: title(name),
        sentence,
        done: done(name),
        operation: 'resynchronizePersonHardware',
        asks: 'twoCodes',
        harmless: true,
        run: (because, { first, second }) =>
          without(
            client.call('POST /admin/people/:userId/hardware/resynchronize', {
              params,
              body: { because, first, second },
            }),
          ),
      }
    },
    releaseHardware: (): PersonAction => ({
      ...named('releaseHardware'),
      operation: 'releasePersonHardware',
      removes: (has) => ({ ...hardwareOf(has), ...browsersOf(has) }),
      run: (because) =>
        without(client.call('POST /admin/people/:userId/hardware/release', { params, body: { because } })),
    }),
    createCode: (): PersonAction => ({
      ...named('createCode'),
      operation: 'createPersonBypassCode',
      parameters: ({ usesAllowed, expirationTime }) => ({ usesAllowed, expirationTime }),
      asks: 'bypassCode',
      harmless: true,
      async run(because, { usesAllowed, expirationTime }) {
        const body = { because, usesAllowed, expirationTime }
        const { code } = await client.call('POST /admin/people/:userId/bypass-codes', { params, body })
        return code === undefined ? undefined : { title: words.bypassCodeFor(name), code }
      },
    }),
    deleteCodes: (): PersonAction => ({
      ...named('deleteCodes'),
      operation: 'deletePersonBypassCodes',
      removes: codesOf,
      run: (because) =>
        without(client.call('POST /admin/people/:userId/bypass-codes/delete', { params, body: { because } })),
    }),
    deletePasskey: (passkeyId: string): PersonAction => ({
      ...named('deletePasskey'),
      operation: 'deletePersonPasskey',
      removes: (has) => ({ ...passkeysOf(has, passkeyId), ...browsersOf(has) }),
      parameters: () => ({ passkeyId }),
      run: (because) =>
        without(
          client.call('POST /admin/people/:userId/passkeys/:passkeyId/delete', {
            params: { ...params, passkeyId },
            body: { because },
          }),
        ),
    }),
    endSessions,
    /** After a sign-in that was not the person's. */
    notTheirs: (): PersonAction => {
      const { title, sentence, done } = words.signIns.notTheirs
      return { ...endSessions(), title: title(name), sentence, done: done(name) }
    },
    reset: (): PersonAction => ({
      ...named('reset'),
      operation: 'resetPerson',
      removes: everythingOf,
      run: (because) => without(client.call('POST /admin/people/:userId/reset', { params, body: { because } })),
    }),
  }
}

export type PersonActions = ReturnType<typeof actionsOn>
