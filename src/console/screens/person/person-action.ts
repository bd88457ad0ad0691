import { isolated } from '../../../ground/printable.ts'
import type { Words } from '../../texts/en.ts'
import { browsersOf, codesOf, devicesOf, everythingOf, hardwareOf, passkeysOf } from './losses.ts'
import { mailActionsOn, type MailedPerson } from './mail-actions.ts'
import type { PersonAction } from './action.ts'

/** The actions on a person, as the buttons of its page start them. */
export function actionsOn(about: MailedPerson) {
  const { client, words, person } = about
  const name = isolated(person.name)
  const params = { userId: person.id }
  const texts = words.actions
  const without = (call: Promise<unknown>) => call.then(() => undefined)
  const actionText = (action: keyof Words['actions']) => {
    const { button, title, sentence, done } = texts[action]
    return { action: button, title: title(name), sentence, done: done(name) }
  }
  const endSessions = (): PersonAction => ({
    ...actionText('endSessions'),
    operation: 'endPersonSessions',
    removes: browsersOf,
    run: (because) => without(client.call('POST /admin/people/:userId/end-sessions', { params, body: { because } })),
  })
  return {
    ...mailActionsOn(about),
    unlock: (): PersonAction => ({
      ...actionText('unlock'),
      operation: 'unlockPerson',
      harmless: true,
      run: (because) => without(client.call('POST /admin/people/:userId/unlock', { params, body: { because } })),
    }),
    issueToken: (domainId: string): PersonAction => ({
      ...actionText('issueToken'),
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
      ...actionText('revokeToken'),
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
      ...actionText('assignHardware'),
      operation: 'assignPersonHardware',
      removes: browsersOf,
      parameters: ({ serialNumber }) => ({ serialNumber }),
      asks: 'serialNumber',
      values: { serialNumber: serial },
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
      ...actionText('releaseHardware'),
      operation: 'releasePersonHardware',
      removes: (has) => ({ ...hardwareOf(has), ...browsersOf(has) }),
      run: (because) =>
        without(client.call('POST /admin/people/:userId/hardware/release', { params, body: { because } })),
    }),
    createCode: (): PersonAction => ({
      ...actionText('createCode'),
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
      ...actionText('deleteCodes'),
      operation: 'deletePersonBypassCodes',
      removes: codesOf,
      run: (because) =>
        without(client.call('POST /admin/people/:userId/bypass-codes/delete', { params, body: { because } })),
    }),
    deletePasskey: (passkeyId: string): PersonAction => ({
      ...actionText('deletePasskey'),
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
    /** Offered after a sign-in that was not the person's. */
    notTheirs: (): PersonAction => {
      const { title, sentence, done } = words.signIns.notTheirs
      return { ...endSessions(), title: title(name), sentence, done: done(name) }
    },
    reset: (): PersonAction => ({
      ...actionText('reset'),
      operation: 'resetPerson',
      removes: everythingOf,
      run: (because) => without(client.call('POST /admin/people/:userId/reset', { params, body: { because } })),
    }),
  }
}

export type PersonActions = ReturnType<typeof actionsOn>
