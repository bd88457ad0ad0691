import type { KeptAccount } from './accounts-store.ts'
import { Emblem } from './card.tsx'
import { Icon } from './icons.tsx'
import { OfflineCodeLine } from './offline-code.tsx'
import { nameOf } from './use-accounts.ts'
import { useWords } from './words/speech.tsx'

interface AccountRowProps {
  readonly account: KeptAccount
  /** Why it is of no more use, if it is not. */
  readonly gone: 'removed' | 'moved' | undefined
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  /** While the list is being arranged: where there is no way further. */
  readonly places: { readonly first: boolean; readonly last: boolean } | undefined
  readonly onOptions: () => void
  readonly onMove: (by: -1 | 1) => void
  readonly onDismiss: () => void
}

/** One account with its offline code. */
export function AccountRow({ account, gone, now, places, onOptions, onMove, onDismiss }: AccountRowProps) {
  const words = useWords()
  const name = words.at(nameOf(account), account.user.username)
  // Once it is gone its codes are good for nothing.
  const coded = !gone && !places && (account.codeSecret ?? account.lockedSecret) !== undefined
  return (
    <div class={coded ? 'coded' : ''}>
      <div class={gone ? 'row gone' : 'row'}>
        <Emblem domain={account.domain} serviceUrl={account.serviceUrl} />
        <span>
          <strong>
            <bdi>{nameOf(account)}</bdi>
          </strong>
          <small>
            <bdi>{account.user.username}</bdi>
          </small>
          {gone ? (
            <small class="danger">
              {gone === 'moved' ? words.movedAway : words.removedBy(account.organization.name)}
            </small>
          ) : null}
        </span>
        {places ? <MoveButtons name={name} places={places} onMove={onMove} /> : null}
        {gone ? (
          <button type="button" class="link" onClick={onDismiss}>
            {words.dismiss}
          </button>
        ) : null}
        {gone || places ? null : (
          <button type="button" class="icon-button" aria-label={words.options(name)} onClick={onOptions}>
            <Icon name="more" />
          </button>
        )}
      </div>
      {coded ? <OfflineCodeLine account={account} now={now} /> : null}
    </div>
  )
}

interface MoveButtonsProps extends Pick<AccountRowProps, 'onMove'> {
  readonly name: string
  readonly places: NonNullable<AccountRowProps['places']>
}

function MoveButtons({ name, places, onMove }: MoveButtonsProps) {
  const words = useWords()
  return (
    <>
      {/* Never disabled: a key pressed once too often would lose the focus. */}
      <button
        type="button"
        class="icon-button"
        aria-label={words.moveUp(name)}
        aria-disabled={places.first}
        onClick={() => onMove(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={words.moveDown(name)}
        aria-disabled={places.last}
        onClick={() => onMove(1)}
      >
        <Icon name="down" />
      </button>
    </>
  )
}
