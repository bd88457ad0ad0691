import { useEffect, useLayoutEffect, useState } from 'preact/hooks'

import type { Clock } from '../clock.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'
import type { AccountsStore, KeptAccount } from './accounts-store.ts'
import { AppBar } from './app-bar.tsx'
import { CurrentScreen } from './current-screen.tsx'
import type { Link } from './link.ts'
import { follow, home, type Screen } from './screen.ts'
import { CannotRunScreen } from './screens/cannot-run.tsx'
import { useAccounts } from './use-accounts.ts'
import { useAnswer } from './use-answer.ts'
import { useBack } from './use-back.ts'
import { useInbox } from './use-inbox.ts'
import { useNotices } from './use-notices.ts'
import { useNotifications } from './use-notifications.ts'
import { useNow } from './use-now.ts'
import type { Language } from './words/languages.ts'
import { useWords } from './words/speech.tsx'

export interface AppProps {
  readonly device: Device
  readonly store: AccountsStore
  readonly clock: Clock
  /** The public address of the service that this page came from. */
  readonly serviceUrl: string
  /** What this page was opened for; another object each time. */
  readonly link: Link
  readonly onInstall: (() => void) | undefined
  readonly onLanguage: (language: Language) => void
}

const none: readonly KeptAccount[] = []

export function App({ device, store, clock, serviceUrl, link, onInstall, onLanguage }: AppProps) {
  const words = useWords()
  const accounts = useAccounts(store)
  const { list } = accounts
  const now = useNow(clock)
  const inbox = useInbox(device, list ?? none, now)
  const notifications = useNotifications(device, list)
  const [screen, setScreen] = useState<Screen>(home)
  /** Requests that somebody went back from: they do not open by themselves again. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const onAnswer = useAnswer(device, inbox, setScreen)

  useEffect(() => {
    if (link.add) setScreen({ name: 'add', code: link.code })
    if (link.codes) document.querySelector<HTMLElement>('#accounts')?.focus()
  }, [link, list === undefined])
  // A layout effect: one that runs later could open again, by what it knew before, the request that somebody has just left.
  useLayoutEffect(() => {
    document.title = words.title(inbox.pending.length)
    setScreen((before) => follow(before, inbox.pending, left, clock.now()))
  })
  useNotices(inbox.pending, link.request, (pending) => setScreen({ name: 'request', pending }))
  useBack(screen.name !== 'home', onBack)

  function onBack() {
    if (screen.name === 'request') setLeft((before) => new Set(before).add(screen.pending.request.id))
    setScreen(home)
  }
  async function onAdded(account: Account) {
    await accounts.add(account)
    // Asks the browser not to clear the key away when space gets short; it may say no.
    void navigator.storage.persist()
    setScreen(home)
  }
  async function onGone(account: KeptAccount) {
    await accounts.remove(account.id)
    setScreen(home)
  }

  const parts = { device, clock, serviceUrl, accounts, inbox, notifications, now, screen, show: setScreen }
  return (
    <>
      <AppBar
        onHistory={list?.length ? () => setScreen({ name: 'history' }) : undefined}
        onSettings={() => setScreen({ name: 'settings' })}
      />
      {accounts.unavailable ? <CannotRunScreen obstacle="noStorage" /> : null}
      {list && !accounts.unavailable ? (
        <CurrentScreen {...parts} {...{ list, onBack, onAnswer, onAdded, onGone, onInstall, onLanguage }} />
      ) : null}
    </>
  )
}
