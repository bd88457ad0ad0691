import type { Account } from '../../device/account.ts'
import { Card, Emblem, Status } from '../card.tsx'
import { originOf, timeOf } from '../facts.ts'
import { messages } from '../messages.ts'
import { OfflineCodeLine } from '../offline-code.tsx'
import type { Inbox, Pending } from '../use-inbox.ts'

interface HomeScreenProps {
  readonly accounts: readonly Account[]
  readonly inbox: Inbox
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  readonly onOpen: (pending: Pending) => void
  readonly onAdd: () => void
  readonly onRemove: (account: Account) => void
  readonly onDismiss: (account: Account) => void
}

/** What waits, and for whom this device answers. */
export function HomeScreen({ accounts, inbox, now, onOpen, onAdd, onRemove, onDismiss }: HomeScreenProps) {
  return (
    <>
      {inbox.pending.length > 0 ? (
        <Requests pending={inbox.pending} onOpen={onOpen} />
      ) : (
        <Empty inbox={inbox} accounts={accounts} />
      )}
      <section class="card" aria-labelledby="accounts">
        <h2 id="accounts">{messages.accounts}</h2>
        <ul class="list">
          {accounts.map((account) => (
            <li key={account.id}>
              <AccountRow
                account={account}
                removed={inbox.removed.has(account.id)}
                now={now}
                onRemove={onRemove}
                onDismiss={onDismiss}
              />
            </li>
          ))}
        </ul>
        <button type="button" class="outlined wide" onClick={onAdd}>
          {messages.addAnother}
        </button>
      </section>
    </>
  )
}

function Empty({ inbox, accounts }: Pick<HomeScreenProps, 'inbox' | 'accounts'>) {
  if (accounts.every(({ id }) => inbox.removed.has(id))) {
    return (
      <Card title={messages.allRemoved}>
        <Status icon="warning">{messages.allRemovedSentence}</Status>
      </Card>
    )
  }
  const trouble = inbox.troubled.size > 0
  return (
    <Card title={messages.waiting}>
      <Status icon={trouble ? 'offline' : 'phone'}>
        {trouble ? (navigator.onLine ? messages.unreachable : messages.offline) : messages.nothing}
      </Status>
    </Card>
  )
}

function Requests({
  pending,
  onOpen,
}: {
  readonly pending: readonly Pending[]
  readonly onOpen: (p: Pending) => void
}) {
  return (
    <Card title={messages.severalRequests}>
      <p class="sentence">{messages.severalRequestsSentence}</p>
      <ul class="list">
        {pending.map((each) => (
          <li key={each.request.id}>
            <button type="button" class="row" onClick={() => onOpen(each)}>
              <Emblem domain={each.request.domain} serviceUrl={each.account.serviceUrl} />
              <span>
                <strong>{each.request.domain.name}</strong>
                <small>
                  {each.request.user.username}, {timeOf(each.request.createdAt)}
                </small>
                <small>{originOf(each.request)}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface AccountRowProps extends Pick<HomeScreenProps, 'now' | 'onRemove' | 'onDismiss'> {
  readonly account: Account
  readonly removed: boolean
}

function AccountRow(props: AccountRowProps) {
  // Once it is removed its codes are good for nothing.
  const coded = !props.removed && props.account.codeSecret !== undefined
  return (
    <div class={coded ? 'coded' : ''}>
      <AccountLine {...props} />
      {coded ? <OfflineCodeLine account={props.account} now={props.now} /> : null}
    </div>
  )
}

function AccountLine({ account, removed, onRemove, onDismiss }: AccountRowProps) {
  const { organization, domain, user } = account
  return (
    <div class={removed ? 'row removed' : 'row'}>
      <Emblem domain={domain} serviceUrl={account.serviceUrl} />
      <span>
        <strong>{domain.name}</strong>
        <small>{user.username}</small>
        {removed ? <small class="danger">{messages.removedBy(organization.name)}</small> : null}
      </span>
      {removed ? (
        <button type="button" class="link" onClick={() => onDismiss(account)}>
          {messages.dismiss}
        </button>
      ) : (
        <button
          type="button"
          class="link"
          aria-label={messages.removeNamed(domain.name, user.username)}
          onClick={() => onRemove(account)}
        >
          {messages.remove}
        </button>
      )}
    </div>
  )
}
