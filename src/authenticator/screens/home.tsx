import { useState } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Status } from '../../ui/messages.tsx'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { AccountRow } from './account-row.tsx'
import { ChangeNotices } from '../inbox/change-notices.tsx'
import { Card, Emblem } from '../parts/card.tsx'
import { originOf, timeOf } from '../accounts/facts.ts'
import { Subject } from '../inbox/request-facts.tsx'
import { lazyScreen } from '../../ui/lazy-screen.tsx'
import { countOf, type Inbox, type Pending, type PendingApproval, type PendingCall } from '../inbox/use-inbox.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useSpeech, useWords } from '../words/speech.tsx'

interface HomeScreenProps {
  readonly accounts: readonly StoredAccount[]
  readonly inbox: Inbox
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  readonly onOpen: (pending: Pending) => void
  readonly onCall: (pending: PendingCall) => void
  readonly onApproval: (pending: PendingApproval) => void
  readonly onAdd: () => void
  readonly onOptions: (account: StoredAccount) => void
  readonly onMove: (account: StoredAccount, by: -1 | 1) => void
  readonly onDismiss: (account: StoredAccount) => void
}

/** The pending requests, calls and approvals, and the accounts. */
export function HomeScreen(props: HomeScreenProps) {
  const { accounts, inbox, onOpen, onCall, onApproval } = props
  const { pending, calls, approvals } = inbox
  return (
    <>
      {pending.length > 0 ? <Requests pending={pending} onOpen={onOpen} /> : null}
      {calls.length > 0 ? <Calls inbox={inbox} first={pending.length === 0} onOpen={onCall} /> : null}
      {approvals.length > 0 ? (
        <Approvals inbox={inbox} first={pending.length + calls.length === 0} onOpen={onApproval} />
      ) : null}
      <ChangeNotices inbox={inbox} />
      {countOf(inbox) > 0 ? null : <Empty inbox={inbox} accounts={accounts} />}
      <AccountList {...props} />
    </>
  )
}

const Calls = lazyScreen(async () => (await import('./call.tsx')).CallList)
const Approvals = lazyScreen(async () => (await import('./approval.tsx')).ApprovalList)

function Empty({ inbox, accounts }: Pick<HomeScreenProps, 'inbox' | 'accounts'>) {
  const words = useWords()
  if (accounts.every(({ id }) => inbox.goneAccounts.has(id))) {
    return (
      <Card title={words.allRemoved}>
        <Status icon={icons.warning}>{words.allRemovedSentence}</Status>
      </Card>
    )
  }
  const offline = inbox.unreachable.size > 0
  return (
    <Card title={words.waiting}>
      <Status icon={offline ? icons.offline : icons.phone}>
        {offline ? (navigator.onLine ? words.unreachable : words.offline) : words.nothing}
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
  const { words, locale } = useSpeech()
  return (
    <Card title={pending.length > 1 ? words.severalRequests : words.oneRequest}>
      {pending.length > 1 ? <p class="sentence">{words.severalRequestsSentence}</p> : null}
      <ul class="list">
        {pending.map((each) => (
          <li key={each.request.id}>
            <button type="button" class="row" onClick={() => onOpen(each)}>
              <Emblem domain={each.request.domain} serviceUrl={each.account.serviceUrl} />
              <span>
                <strong>
                  <bdi>{each.request.domain.name}</bdi>
                </strong>
                <small>
                  <bdi>{nameOfUser(each.request.user)}</bdi>, {timeOf(each.request.createdAt, locale, 'medium')}
                </small>
                <Subject request={each.request} />
                <small>
                  <bdi>{originOf(each.request)}</bdi>
                </small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function AccountList({ accounts, inbox, now, onAdd, onOptions, onMove, onDismiss }: HomeScreenProps) {
  const words = useWords()
  const [reordering, setReordering] = useState(false)
  return (
    <section class="card" aria-labelledby="accounts">
      <div class="headed">
        <h2 id="accounts" tabIndex={-1}>
          {words.accounts}
        </h2>
        {accounts.length > 1 ? (
          <Button
            class="link"
            onClick={() => setReordering(!reordering)}
            label={reordering ? words.reordered : words.reorder}
          />
        ) : null}
      </div>
      <ul class="list">
        {accounts.map((account, index) => (
          <li key={account.id}>
            <AccountRow
              account={account}
              goneReason={inbox.goneAccounts.get(account.id)}
              now={now}
              ends={reordering ? { first: index === 0, last: index === accounts.length - 1 } : undefined}
              onOptions={() => onOptions(account)}
              onMove={(by) => onMove(account, by)}
              onDismiss={() => onDismiss(account)}
            />
          </li>
        ))}
      </ul>
      <Button class="outlined wide" onClick={onAdd} label={words.addAnother} />
    </section>
  )
}
