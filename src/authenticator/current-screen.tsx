import { useLayoutEffect } from 'preact/hooks'

import type { Clock } from '../ground/clock.ts'
import type { Device } from '../device/device.ts'
import type { Answer } from '../device/requests.ts'
import type { StoredAccount } from './accounts/accounts-store.ts'
import { Hint } from './parts/hint.tsx'
import { lazyScreen } from '../ui/lazy-screen.tsx'
import type { OutcomeShown, RequestShown, Screen } from './screen.ts'
import { HomeScreen } from './screens/home.tsx'
import { OutcomeScreen } from './screens/outcome.tsx'
import { RequestScreen } from './screens/request.tsx'
import { WasItYouScreen } from './screens/was-it-you.tsx'
import { secondsLeft } from './parts/time-left.tsx'
import type { Accounts } from './accounts/use-accounts.ts'
import { countOf, type Inbox } from './inbox/use-inbox.ts'
import type { Notifications } from './accounts/use-notifications.ts'
import type { Language } from './words/languages.ts'

interface CurrentScreenProps {
  readonly screen: Screen
  readonly list: readonly StoredAccount[]
  readonly device: Device
  readonly clock: Clock
  readonly serviceUrl: string
  readonly accounts: Accounts
  readonly inbox: Inbox
  readonly notifications: Notifications
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  readonly show: (screen: Screen) => void
  readonly onBack: () => void
  readonly onAnswer: (requestScreen: RequestShown, answer: Answer) => Promise<void>
  readonly onScan: (requestScreen: RequestShown, secret: string) => Promise<string | undefined>
  readonly ensureWritable: () => Promise<void>
  readonly onAdded: (account: StoredAccount) => Promise<void>
  readonly onGone: (account: StoredAccount) => Promise<void>
  readonly onInstall: (() => void) | undefined
  readonly onLanguage: (language: Language) => void
}

/** The present screen. Without an account, it is the one to add the first. */
export function CurrentScreen(props: CurrentScreenProps) {
  const { screen, list, device, clock, serviceUrl, notifications, show, onBack, onInstall, onLanguage } = props
  if (screen.name === 'home') return list.length === 0 ? <Add {...props} code={undefined} /> : <Home {...props} />
  switch (screen.name) {
    case 'add':
      return <Add key={screen.code} {...props} code={screen.code} />
    case 'request':
      return <Request {...props} screen={screen} />
    case 'call':
      return <Call key={screen.pending.call.id} {...props} pending={screen.pending} onDone={onBack} />
    case 'approval':
      return <Approval key={screen.pending.approval.id} {...props} pending={screen.pending} onDone={onBack} />
    case 'outcome':
      return <Outcome {...props} screen={screen} />
    case 'history':
      return <History device={device} accounts={list} onBack={onBack} />
    case 'settings':
      return (
        <SettingsScreen
          {...{ serviceUrl, notifications, onInstall, onLanguage, onBack, device, clock, accounts: list }}
          onPractice={(reached) => show({ name: 'practice', reached })}
        />
      )
    case 'practice':
      return <Practice reached={screen.reached} onBack={onBack} />
    case 'account':
      return <OneAccount {...props} id={screen.id} />
    case 'move':
      return <Move {...props} account={screen.account} />
    case 'remove':
    default:
      return <Remove {...props} account={screen.account} />
  }
}

function Home({ list, inbox, now, accounts, notifications, show, onGone, onInstall }: CurrentScreenProps) {
  return (
    <>
      <HomeScreen
        accounts={list}
        inbox={inbox}
        now={now}
        onOpen={(pending) => show({ name: 'request', pending })}
        onCall={(pending) => show({ name: 'call', pending })}
        onApproval={(pending) => show({ name: 'approval', pending })}
        onAdd={() => show({ name: 'add' })}
        onOptions={({ id }) => show({ name: 'account', id })}
        onMove={({ id }, by) => void accounts.move(id, by)}
        onDismiss={(account) => void onGone(account)}
      />
      <Hint notifications={notifications} onInstall={onInstall} />
    </>
  )
}

type AddProps = CurrentScreenProps & { readonly code: string | undefined }

function Add({ onBack, ...props }: AddProps) {
  return <AddAccountScreen {...props} onCancel={props.list.length > 0 ? onBack : undefined} />
}

type RequestProps = CurrentScreenProps & { readonly screen: RequestShown }

function Request({ screen, device, clock, now, inbox, show, onAnswer, onScan, onBack }: RequestProps) {
  const { busy = false, problem } = screen
  if (screen.denied) {
    const { account, request } = screen.pending
    const remaining = secondsLeft(request, now + account.clockOffset)
    return (
      <WasItYouScreen
        {...{ clock, secondsLeft: remaining, busy, problem }}
        onAnswer={(answer) => void onAnswer(screen, answer)}
      />
    )
  }
  return (
    <RequestScreen
      key={screen.pending.request.id}
      device={device}
      pending={screen.pending}
      clock={clock}
      now={now}
      busy={busy}
      problem={problem}
      count={inbox.pending.length}
      onAnswer={(answer) => void onAnswer(screen, answer)}
      onScan={(secret) => onScan(screen, secret)}
      onDeny={() => show({ name: 'request', pending: screen.pending, denied: true })}
      onBack={onBack}
    />
  )
}

type OutcomeProps = CurrentScreenProps & { readonly screen: OutcomeShown }

function Outcome({ screen: { outcome, report, ended }, device, inbox, clock, onBack, onAnswer }: OutcomeProps) {
  const parts = { outcome, report, clock, waits: countOf(inbox) > 0, onDone: onBack }
  if (!ended) return <OutcomeScreen {...parts} />
  // A request that could no longer be denied or reported is not asked about again.
  const onReport = ended.denied ? undefined : () => void onAnswer({ ...ended, denied: true }, { decision: 'report' })
  const { pending, problem } = ended
  return <Ended key={pending.request.id} {...{ ...parts, device, pending, onReport }} unsure={problem !== undefined} />
}

const Ended = lazyScreen(async () => (await import('./screens/ended.tsx')).EndedScreen, { failed: OutcomeScreen })

function OneAccount({ id, list, device, accounts, show, onBack }: CurrentScreenProps & { readonly id: string }) {
  const account = list.find((each) => each.id === id)
  // Another tab has removed it.
  useLayoutEffect(() => {
    if (!account) onBack()
  }, [account])
  if (!account) return null
  return (
    <AccountScreen
      device={device}
      account={account}
      onRename={(label) => accounts.rename(id, label)}
      onMove={() => show({ name: 'move', account })}
      onRemove={() => show({ name: 'remove', account })}
      onBack={onBack}
    />
  )
}

const AddAccountScreen = lazyScreen(async () => (await import('./screens/add-account.tsx')).AddAccountScreen)

const SettingsScreen = lazyScreen(async () => (await import('./screens/settings.tsx')).SettingsScreen)

const AccountScreen = lazyScreen(async () => (await import('./screens/account.tsx')).AccountScreen)

const RemoveAccountScreen = lazyScreen(async () => (await import('./screens/remove-account.tsx')).RemoveAccountScreen)

const MoveAccount = lazyScreen(async () => (await import('./screens/move-account.tsx')).MoveAccountScreen)

type MoveProps = CurrentScreenProps & { readonly account: StoredAccount }

function Move({ account, device, clock, now, accounts, onBack }: MoveProps) {
  return <MoveAccount {...{ device, clock, now, account, onBack }} onMoved={() => accounts.remove(account.id)} />
}

const Call = lazyScreen(async () => (await import('./screens/call.tsx')).CallScreen)

const Approval = lazyScreen(async () => (await import('./screens/approval.tsx')).ApprovalScreen)

const History = lazyScreen(async () => (await import('./screens/history.tsx')).HistoryScreen)

const Practice = lazyScreen(async () => (await import('./screens/practice.tsx')).PracticeScreen)

function Remove({ account, device, show, onGone }: CurrentScreenProps & { readonly account: StoredAccount }) {
  return (
    <RemoveAccountScreen
      device={device}
      account={account}
      onRemoved={() => onGone(account)}
      onCancel={() => show({ name: 'account', id: account.id })}
    />
  )
}
