import { useEffect, useState } from 'preact/hooks'

import type { Clock } from '../clock.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'
import type { Answer } from '../device/requests.ts'
import type { AccountsStore } from './accounts-store.ts'
import { outcomeOf, outcomeOfError } from './answer-outcome.ts'
import { messages } from './messages.ts'
import { problemOf } from './problem.ts'
import { follow, home, type Screen } from './screen.ts'
import { AddAccountScreen } from './screens/add-account.tsx'
import { CannotRunScreen } from './screens/cannot-run.tsx'
import { HomeScreen } from './screens/home.tsx'
import { OutcomeScreen } from './screens/outcome.tsx'
import { RemoveAccountScreen } from './screens/remove-account.tsx'
import { RequestScreen } from './screens/request.tsx'
import { useAccounts } from './use-accounts.ts'
import { type Pending, useInbox } from './use-inbox.ts'
import { useNow } from './use-now.ts'

export interface AppProps {
  readonly device: Device
  readonly store: AccountsStore
  readonly clock: Clock
  /** The public address of the service that this page came from. */
  readonly serviceUrl: string
  /** The activation code this page was opened with. */
  readonly code: string | undefined
}

export function App(props: AppProps) {
  return (
    <>
      <p class="brand">
        <img src="./icon.svg" alt="" width="24" height="24" />
        {messages.appName}
      </p>
      <Screens {...props} />
    </>
  )
}

const none: readonly Account[] = []

function Screens({ device, store, clock, serviceUrl, code }: AppProps) {
  const accounts = useAccounts(store)
  const now = useNow(clock)
  const inbox = useInbox(device, accounts.list ?? none, now)
  const [screen, setScreen] = useState<Screen>(home)
  const goHome = () => setScreen(home)

  useEffect(() => {
    if (code !== undefined) setScreen({ name: 'add', code })
  }, [code])
  useEffect(() => {
    document.title = messages.title(inbox.pending.length)
    setScreen((before) => follow(before, inbox.pending, clock.now()))
  })

  async function answer(pending: Pending, given: Answer) {
    setScreen({ name: 'request', pending, busy: true })
    try {
      const answered = await device.answer(pending.account, pending.request, given)
      inbox.forget(pending.request)
      setScreen({ name: 'outcome', outcome: outcomeOf(answered) })
    } catch (error) {
      const outcome = outcomeOfError(error)
      if (outcome) inbox.forget(pending.request)
      setScreen(outcome ? { name: 'outcome', outcome } : { name: 'request', pending, problem: problemOf(error) })
    }
  }

  async function add(account: Account) {
    await accounts.add(account)
    // Asks the browser not to clear the key away when space gets short; it may say no.
    void navigator.storage.persist()
    goHome()
  }

  async function drop(account: Account) {
    await accounts.remove(account.id)
    goHome()
  }

  if (accounts.unavailable) return <CannotRunScreen obstacle="noStorage" />
  if (!accounts.list) return null
  if (screen.name === 'add' || (screen.name === 'home' && accounts.list.length === 0)) {
    const wanted = screen.name === 'add' ? screen.code : undefined
    const cancel = accounts.list.length > 0 ? goHome : undefined
    return <AddAccountScreen key={wanted} {...{ device, serviceUrl, code: wanted, onAdded: add, onCancel: cancel }} />
  }
  switch (screen.name) {
    case 'home':
      return (
        <HomeScreen
          accounts={accounts.list}
          inbox={inbox}
          now={now}
          onOpen={(pending) => setScreen({ name: 'request', pending })}
          onAdd={() => setScreen({ name: 'add' })}
          onRemove={(account) => setScreen({ name: 'remove', account })}
          onDismiss={(account) => void drop(account)}
        />
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
          onBack={goHome}
        />
      )
    case 'outcome':
      return <OutcomeScreen outcome={screen.outcome} clock={clock} onDone={goHome} />
    case 'remove':
    default:
      return (
        <RemoveAccountScreen
          device={device}
          account={screen.account}
          onRemoved={() => void drop(screen.account)}
          onCancel={goHome}
        />
      )
  }
}
