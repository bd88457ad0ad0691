import { useEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../clock.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'
import type { Answer } from '../device/requests.ts'
import type { AccountsStore, KeptAccount } from './accounts-store.ts'
import { AppBar } from './app-bar.tsx'
import { outcomeOf, outcomeOfError } from './answer-outcome.ts'
import { Hint } from './hint.tsx'
import type { Link } from './link.ts'
import { problemOf } from './problem.ts'
import { follow, home, type Screen } from './screen.ts'
import { AccountScreen } from './screens/account.tsx'
import { AddAccountScreen } from './screens/add-account.tsx'
import { CannotRunScreen } from './screens/cannot-run.tsx'
import { HistoryScreen } from './screens/history.tsx'
import { HomeScreen } from './screens/home.tsx'
import { OutcomeScreen } from './screens/outcome.tsx'
import { RemoveAccountScreen } from './screens/remove-account.tsx'
import { RequestScreen } from './screens/request.tsx'
import { SettingsScreen } from './screens/settings.tsx'
import { useAccounts } from './use-accounts.ts'
import { useBack } from './use-back.ts'
import { type Pending, useInbox } from './use-inbox.ts'
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
  const now = useNow(clock)
  const inbox = useInbox(device, accounts.list ?? none, now)
  const notifications = useNotifications(device, accounts.list)
  const [screen, setScreen] = useState<Screen>(home)
  /** Requests that somebody went back from: they do not open by themselves again. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const goHome = () => setScreen(home)
  const goBack = () => {
    if (screen.name === 'request') setLeft((before) => new Set(before).add(screen.pending.request.id))
    goHome()
  }

  useEffect(() => {
    if (link.add) setScreen({ name: 'add', code: link.code })
    if (link.codes) document.querySelector<HTMLElement>('#accounts')?.focus()
  }, [link, accounts.list === undefined])
  useEffect(() => {
    document.title = words.title(inbox.pending.length)
    setScreen((before) => follow(before, inbox.pending, left, clock.now()))
  })
  useNotices(inbox.pending, link.request, (pending) => setScreen({ name: 'request', pending }))
  useBack(screen.name !== 'home', goBack)

  /** The one under way: another press while it is must not start a second one. */
  const answering = useRef(false)
  async function answer(pending: Pending, given: Answer) {
    if (answering.current) return
    answering.current = true
    setScreen({ name: 'request', pending, busy: true })
    try {
      const answered = await device.answer(pending.account, pending.request, given)
      inbox.forget(pending.request)
      setScreen({ name: 'outcome', outcome: outcomeOf(answered) })
    } catch (error) {
      const outcome = outcomeOfError(error, given.pin !== undefined)
      if (outcome) inbox.forget(pending.request)
      setScreen(outcome ? { name: 'outcome', outcome } : { name: 'request', pending, problem: problemOf(error, words) })
    } finally {
      answering.current = false
    }
  }

  async function add(account: Account) {
    await accounts.add(account)
    // Asks the browser not to clear the key away when space gets short; it may say no.
    void navigator.storage.persist()
    goHome()
  }

  async function drop(account: KeptAccount) {
    await accounts.remove(account.id)
    goHome()
  }

  function current() {
    if (accounts.unavailable) return <CannotRunScreen obstacle="noStorage" />
    if (!accounts.list) return null
    if (screen.name === 'add' || (screen.name === 'home' && accounts.list.length === 0)) {
      const code = screen.name === 'add' ? screen.code : undefined
      const cancel = accounts.list.length > 0 ? goHome : undefined
      return <AddAccountScreen key={code} {...{ device, clock, serviceUrl, code, onAdded: add, onCancel: cancel }} />
    }
    switch (screen.name) {
      case 'home':
        return (
          <>
            <HomeScreen
              accounts={accounts.list}
              inbox={inbox}
              now={now}
              onOpen={(pending) => setScreen({ name: 'request', pending })}
              onAdd={() => setScreen({ name: 'add' })}
              onOptions={({ id }) => setScreen({ name: 'account', id })}
              onMove={({ id }, by) => void accounts.move(id, by)}
              onDismiss={(account) => void drop(account)}
            />
            <Hint notifications={notifications} onInstall={onInstall} />
          </>
        )
      case 'request':
        return (
          <RequestScreen
            key={screen.pending.request.id}
            pending={screen.pending}
            clock={clock}
            now={now}
            busy={screen.busy ?? false}
            problem={screen.problem}
            count={inbox.pending.length}
            onAnswer={(given) => void answer(screen.pending, given)}
            onBack={goBack}
          />
        )
      case 'outcome':
        return <OutcomeScreen outcome={screen.outcome} clock={clock} onDone={goHome} />
      case 'history':
        return <HistoryScreen device={device} accounts={accounts.list} onBack={goHome} />
      case 'settings':
        return <SettingsScreen {...{ serviceUrl, notifications, onInstall, onLanguage, onBack: goHome }} />
      case 'account': {
        const account = accounts.list.find(({ id }) => id === screen.id)
        if (!account) return null
        return (
          <AccountScreen
            account={account}
            onRename={(label) => accounts.rename(account.id, label)}
            onRemove={() => setScreen({ name: 'remove', account })}
            onBack={goHome}
          />
        )
      }
      case 'remove':
      default: {
        const { account } = screen
        return (
          <RemoveAccountScreen
            device={device}
            account={account}
            onRemoved={() => drop(account)}
            onCancel={() => setScreen({ name: 'account', id: account.id })}
          />
        )
      }
    }
  }

  return (
    <>
      <AppBar
        onHistory={accounts.list?.length ? () => setScreen({ name: 'history' }) : undefined}
        onSettings={() => setScreen({ name: 'settings' })}
      />
      {current()}
    </>
  )
}
