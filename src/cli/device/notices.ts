import type { Notice } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import { printable } from '../../ground/printable.ts'
import { accountName } from './account-name.ts'

/** A notice, with the account that it is about. */
export interface AccountNotice {
  readonly account: Account
  readonly notice: Notice
}

const words: Readonly<Record<Notice['kind'], string>> = {
  device_added: 'A device was added to',
  device_replaced: 'A new device replaced the device of',
  device_removed: 'A device was removed from',
  app_added: 'An authenticator app was added to',
  app_replaced: 'A new authenticator app replaced the app of',
  app_removed: 'The authenticator app was removed from',
  hardware_added: 'A hardware token was added to',
  hardware_removed: 'The hardware token was removed from',
  passkey_added: 'A passkey was added to',
  passkey_removed: 'A passkey was removed from',
  codes_made: 'New recovery codes were created for',
  codes_removed: 'Recovery codes were removed from',
  unlocked: 'An administrator has unlocked codes and sign-in requests of',
  signed_out: 'An administrator has signed out everywhere',
}

/** Says in one line what changed, and what to do about it. */
export function noticeLine({ account, notice }: AccountNotice): string {
  const changed = { ...account, domain: { ...account.domain, name: notice.domain.name } }
  const time = printable(new Date(notice.createdAt * 1000).toISOString().slice(0, 16).replace('T', ' '))
  return `${words[notice.kind]} ${accountName(changed)} on ${time} UTC. Wasn't you? Contact your administrator.`
}

/** Calls `show` once for each notice of an account, the oldest first. */
export function eachNotice(account: Account, show: (notice: AccountNotice) => void) {
  const shownIds = new Set<string>()
  return (notices: readonly Notice[]): void => {
    for (const notice of notices.toReversed()) {
      if (shownIds.has(notice.id)) continue
      shownIds.add(notice.id)
      show({ account, notice })
    }
  }
}
