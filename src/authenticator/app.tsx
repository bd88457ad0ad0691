import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../ground/clock.ts'
import type { Device } from '../device/device.ts'
import type { AccountsStore, StoredAccount } from './accounts/accounts-store.ts'
import { AppBar } from './parts/app-bar.tsx'
import { Banner } from './parts/banner.tsx'
import { CurrentScreen } from './current-screen.tsx'
import { subjectOf } from './accounts/facts.ts'
import type { Link } from './accounts/link.ts'
import { follow, hasBanner, home, newerThan, type Screen } from './screen.ts'
import { CannotRunScreen } from './screens/cannot-run.tsx'
import { useAccounts } from './accounts/use-accounts.ts'
import { useAnswer } from './use-answer.ts'
import { useBack } from './hooks/use-back.ts'
import { countOf, type Pending, type PendingApproval, useInbox } from './inbox/use-inbox.ts'
import { useNotices } from './inbox/use-notices.ts'
import { useNotifications } from './accounts/use-notifications.ts'
import { useNow } from './hooks/use-now.ts'
import type { Language } from './words/languages.ts'
import { useWords } from './words/speech.tsx'

export interface AppProps {
  readonly device: Device
  readonly store: AccountsStore
  readonly clock: Clock
  /** The public address of the service that this page came from. */
  readonly serviceUrl: string
  /** The link that opened the page; a new object each time. */
  readonly link: Link
  readonly onInstall: (() => void) | undefined
  readonly onLanguage: (language: Language) => void
}

const none: readonly StoredAccount[] = []

export function App({ device, store, clock, serviceUrl, link, onInstall, onLanguage }: AppProps) {
  const words = useWords()
  const accounts = useAccounts(store)
  const { list } = accounts
  const now = useNow(clock)
  const inbox = useInbox(device, list ?? none, now)
  const notifications = useNotifications(device, list, now)
  const [screen, setScreen] = useState<Screen>(home)
  /** Requests that the person closed: they do not open automatically again. */
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  /** Requests, calls and approvals that waited at the same time, so that one may be an attacker's: none of them opens automatically. */
  const crowd = useRef(new Set<string>())
  const { answer: onAnswer, scan: onScan } = useAnswer(device, inbox, setScreen)

  const count = countOf(inbox)

  useEffect(() => {
    if (link.add) setScreen({ name: 'add', code: link.code })
    if (link.test) setScreen({ name: 'practice', reached: true })
    if (link.codes) document.querySelector<HTMLElement>('#accounts')?.focus()
  }, [link, list === undefined])
  // A layout effect: a later effect could reopen, from outdated state, the request that the person has just closed.
  useLayoutEffect(() => {
    document.title = words.title(count)
    const waiting = [
      ...inbox.pending.map(({ request }) => request),
      ...inbox.calls.map(({ call }) => call),
      ...inbox.approvals.map(({ approval }) => approval),
    ]
    if (count > 1) for (const { id } of waiting) crowd.current.add(id)
    const isKept = (id: string) => closed.has(id) || crowd.current.has(id)
    setScreen((before) => follow(before, inbox, isKept, clock.now()))
  })
  const onOpen = (pending: Pending) => setScreen({ name: 'request', pending })
  const onApproval = (pending: PendingApproval) => setScreen({ name: 'approval', pending })
  useNotices(inbox, count, link.request, onOpen, onApproval, () => setScreen({ name: 'practice', reached: true }))
  useBack(screen.name !== 'home', onBack)

  function onBack() {
    if (screen.name === 'call') setClosed((before) => new Set(before).add(screen.pending.call.id))
    if (screen.name === 'approval') setClosed((before) => new Set(before).add(screen.pending.approval.id))
    if (screen.name === 'request') setClosed((before) => new Set(before).add(screen.pending.request.id))
    // A person who leaves after "Deny" has denied.
    if (screen.name === 'request' && screen.denied) void onAnswer(screen, { decision: 'deny' })
    else setScreen(home)
  }
  function onReview(single: Screen) {
    setScreen(count > 1 ? home : single)
  }
  async function onAdded(account: StoredAccount) {
    await accounts.add(account)
    // Asks the browser not to delete the key when storage runs low; the browser may decline.
    void navigator.storage.persist()
    setScreen(home)
  }
  async function onGone(account: StoredAccount) {
    await accounts.remove(account.id)
    setScreen(home)
  }

  const announces = hasBanner(screen, inbox)
  const newRequest = announces ? inbox.pending.find(({ request }) => !closed.has(request.id)) : undefined
  const rang = announces ? inbox.calls.find(({ call }) => !closed.has(call.id)) : undefined
  const asked = announces ? inbox.approvals.find(({ approval }) => !closed.has(approval.id)) : undefined
  const newerRequest = newerThan(screen, inbox.pending)
  const parts = { device, clock, serviceUrl, accounts, inbox, notifications, now, screen, show: setScreen }
  return (
    <>
      {newerRequest ? (
        <Banner
          key={newerRequest.request.id}
          {...{ account: newerRequest.account, period: newerRequest.request, now }}
          subject={words.newerRequest}
          action={words.show}
          onReview={() => onOpen(newerRequest)}
        />
      ) : newRequest ? (
        <Banner
          key={newRequest.request.id}
          {...{ account: newRequest.account, period: newRequest.request, now }}
          subject={subjectOf(newRequest.request, words) ?? words.signInRequest}
          onReview={() => onReview({ name: 'request', pending: newRequest })}
        />
      ) : rang ? (
        <Banner
          key={rang.call.id}
          {...{ account: rang.account, period: rang.call, now }}
          subject={words.callTitle}
          onReview={() => onReview({ name: 'call', pending: rang })}
        />
      ) : asked ? (
        <Banner
          key={asked.approval.id}
          {...{ account: asked.account, period: asked.approval, now }}
          subject={words.approvalNotice}
          onReview={() => onReview({ name: 'approval', pending: asked })}
        />
      ) : ['request', 'call', 'approval'].includes(screen.name) ? null : (
        <AppBar
          onHistory={list?.length ? () => setScreen({ name: 'history' }) : undefined}
          onSettings={() => setScreen({ name: 'settings' })}
        />
      )}
      {accounts.unavailable ? <CannotRunScreen obstacle="noStorage" /> : null}
      {list ? (
        <CurrentScreen
          {...parts}
          {...{ list, onBack, onAnswer, onScan, onAdded, onGone, onInstall, onLanguage }}
          ensureWritable={store.ensureWritable}
        />
      ) : null}
    </>
  )
}
