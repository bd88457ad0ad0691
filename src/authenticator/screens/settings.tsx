import type { Clock } from '../../ground/clock.ts'
import type { Device } from '../../device/device.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { LanguageSelect } from '../../ui/language-select.tsx'
import { Status } from '../../ui/messages.tsx'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { Card } from '../parts/card.tsx'
import { lazyScreen } from '../../ui/lazy-screen.tsx'
import type { Notifications, NotificationState } from '../accounts/use-notifications.ts'
import { languages, type Language } from '../words/languages.ts'
import { useSpeech, useWords } from '../words/speech.tsx'

interface SettingsScreenProps {
  readonly device: Device
  readonly clock: Clock
  readonly accounts: readonly StoredAccount[]
  readonly serviceUrl: string
  readonly notifications: Notifications
  /** Absent where the browser does not offer it, or the app is installed. */
  readonly onInstall: (() => void) | undefined
  readonly onLanguage: (language: Language) => void
  /** Opens a request to try out. @param reached Whether a notification arrived for it. */
  readonly onPractice: (reached: boolean) => void
  readonly onBack: () => void
}

const Reach = lazyScreen(async () => (await import('./reach.tsx')).Reach)
const BlockedSteps = lazyScreen(async () => (await import('./blocked-steps.tsx')).BlockedSteps)

/** Settings of the app; nothing about a single account. */
export function SettingsScreen(props: SettingsScreenProps) {
  const { serviceUrl, notifications, onInstall, onLanguage, onBack, device, clock, accounts, onPractice } = props
  const words = useWords()
  return (
    <Card title={words.settings} onBack={onBack}>
      <LanguageField onLanguage={onLanguage} />
      <NotificationsPart notifications={notifications} />
      {accounts.length > 0 ? (
        <Reach {...{ device, clock, accounts, onPractice }} notified={notifications.state === 'on'} />
      ) : null}
      {onInstall ? (
        <section class="part">
          <h2>{words.install}</h2>
          <p class="sentence">{words.installSentence}</p>
          <Button class="outlined wide" onClick={onInstall} label={words.install} />
        </section>
      ) : null}
      <section class="part">
        <h2>{words.about}</h2>
        <p class="sentence">{words.aboutSentence(new URL(serviceUrl).host)}</p>
        <p class="sentence">{words.version(import.meta.env.VERSION)}</p>
      </section>
    </Card>
  )
}

function LanguageField({ onLanguage }: Pick<SettingsScreenProps, 'onLanguage'>) {
  const { words, language } = useSpeech()
  return <LanguageSelect label={words.language} {...{ languages, language, onLanguage }} />
}

const stateIcons: Readonly<Record<NotificationState, icons.IconPath>> = {
  on: icons.check,
  asking: icons.bell,
  off: icons.bell,
  denied: icons.warning,
  failed: icons.warning,
  none: icons.bell,
}

function NotificationsPart({ notifications: { state, turnOn, turnOff } }: Pick<SettingsScreenProps, 'notifications'>) {
  const words = useWords()
  const sentences = {
    on: words.notificationsOn,
    asking: words.notificationsOffer,
    off: words.notificationsOff,
    denied: words.notificationsDenied,
    failed: words.notificationsFailed,
    none: words.notificationsNone,
  }
  const isOn = state === 'on'
  return (
    <section class="part">
      <h2>{words.notifications}</h2>
      <Status icon={stateIcons[state]}>{sentences[state]}</Status>
      {state === 'denied' ? <BlockedSteps /> : null}
      {/* One button in all states: it keeps the focus. */}
      {state === 'denied' || state === 'none' ? null : (
        <Button
          class={isOn ? 'outlined wide' : 'filled wide'}
          onClick={() => void (isOn ? turnOff() : turnOn())}
          label={isOn ? words.turnOff : words.turnOn}
        />
      )}
    </section>
  )
}
