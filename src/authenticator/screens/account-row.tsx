import { Button, IconButton } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { Emblem } from '../parts/card.tsx'
import { OfflineCodeLine } from './offline-code.tsx'
import { nameOf } from '../accounts/use-accounts.ts'
import { fullNameOfUser, nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'

interface AccountRowProps {
  readonly account: StoredAccount
  /** Why the account no longer works, if so. */
  readonly goneReason: 'removed' | 'moved' | undefined
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  /** While the list is reordered: whether the row is at an end of the list. */
  readonly ends: { readonly first: boolean; readonly last: boolean } | undefined
  readonly onOptions: () => void
  readonly onMove: (by: -1 | 1) => void
  readonly onDismiss: () => void
}

/** One account with its offline code. */
export function AccountRow({ account, goneReason, now, ends, onOptions, onMove, onDismiss }: AccountRowProps) {
  const words = useWords()
  const name = words.at(nameOfUser(account.user), nameOf(account))
  // The codes of a removed account do not work.
  const coded = !goneReason && !ends && (account.codeSecret ?? account.lockedSecret) !== undefined
  return (
    <div class={coded ? 'coded' : ''}>
      <div class={goneReason ? 'row gone' : 'row'}>
        <Emblem domain={account.domain} serviceUrl={account.serviceUrl} />
        <span>
          <strong>
            <bdi>{nameOf(account)}</bdi>
          </strong>
          <small>
            <bdi>{fullNameOfUser(account.user)}</bdi>
          </small>
          {goneReason ? (
            <small class="danger">
              {goneReason === 'moved' ? words.movedAway : words.removedBy(account.organization.name)}
            </small>
          ) : null}
        </span>
        {ends ? <MoveButtons name={name} ends={ends} onMove={onMove} /> : null}
        {goneReason ? <Button class="link" onClick={onDismiss} label={words.dismiss} /> : null}
        {goneReason || ends ? null : <IconButton icon={icons.more} label={words.options(name)} onClick={onOptions} />}
      </div>
      {coded ? <OfflineCodeLine account={account} now={now} /> : null}
    </div>
  )
}

interface MoveButtonsProps extends Pick<AccountRowProps, 'onMove'> {
  readonly name: string
  readonly ends: NonNullable<AccountRowProps['ends']>
}

function MoveButtons({ name, ends, onMove }: MoveButtonsProps) {
  const words = useWords()
  return (
    <>
      {/* Not disabled at the ends, as a disabled button would lose the focus. */}
      <IconButton icon={icons.up} label={words.moveUp(name)} aria-disabled={ends.first} onClick={() => onMove(-1)} />
      <IconButton icon={icons.down} label={words.moveDown(name)} aria-disabled={ends.last} onClick={() => onMove(1)} />
    </>
  )
}
