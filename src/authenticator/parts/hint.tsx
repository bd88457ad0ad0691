import { useState } from 'preact/hooks'

import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { readPreference, savePreference } from '../../ui/preferences.ts'
import type { Notifications } from '../accounts/use-notifications.ts'
import { useWords } from '../words/speech.tsx'

interface HintProps {
  readonly notifications: Notifications
  readonly onInstall: (() => void) | undefined
}

interface Offer {
  readonly name: string
  readonly icon: icons.IconPath
  readonly sentence: string
  readonly word: string
  readonly accept: () => void
}

/** Offers one improvement of the app at the bottom of the screen. An offer that is declined does not come back. */
export function Hint({ notifications, onInstall }: HintProps) {
  const words = useWords()
  const [declined, setDeclined] = useState(() => new Set((readPreference('noHints') ?? '').split(' ')))
  const offers: readonly (Offer | undefined)[] = [
    notifications.state !== 'asking'
      ? undefined
      : {
          name: 'notifications',
          icon: icons.bell,
          sentence: words.notificationsOffer,
          word: words.turnOn,
          accept: () => void notifications.turnOn(),
        },
    onInstall && {
      name: 'install',
      icon: icons.install,
      sentence: words.installSentence,
      word: words.install,
      accept: onInstall,
    },
  ]
  const [offer] = offers.filter((each) => each !== undefined).filter(({ name }) => !declined.has(name))
  if (!offer) return null

  function decline(name: string) {
    const all = new Set(declined).add(name)
    savePreference('noHints', [...all].join(' '))
    setDeclined(all)
  }
  return (
    <section class="card hint" aria-label={offer.word}>
      <p class="status">
        <Icon path={offer.icon} />
        <span>{offer.sentence}</span>
      </p>
      <div class="actions">
        <Button class="outlined" onClick={() => decline(offer.name)} label={words.notNow} />
        <Button class="filled" onClick={offer.accept} label={offer.word} />
      </div>
    </section>
  )
}
