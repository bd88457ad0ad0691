import { useState } from 'preact/hooks'

import { Icon, type IconName } from './icons.tsx'
import { recall, remember } from './remembered.ts'
import type { Notifications } from './use-notifications.ts'
import { useWords } from './words/speech.tsx'

interface HintProps {
  readonly notifications: Notifications
  readonly onInstall: (() => void) | undefined
}

interface Offer {
  readonly name: string
  readonly icon: IconName
  readonly sentence: string
  readonly word: string
  readonly accept: () => void
}

/** One thing that makes the app more useful, below all else; who does not want it is not asked again. */
export function Hint({ notifications, onInstall }: HintProps) {
  const words = useWords()
  const [declined, setDeclined] = useState(() => new Set((recall('noHints') ?? '').split(' ')))
  const offers: readonly (Offer | undefined)[] = [
    notifications.state !== 'asking'
      ? undefined
      : {
          name: 'notifications',
          icon: 'bell',
          sentence: words.notificationsOffer,
          word: words.switchOn,
          accept: () => void notifications.switchOn(),
        },
    onInstall && {
      name: 'install',
      icon: 'install',
      sentence: words.installSentence,
      word: words.install,
      accept: onInstall,
    },
  ]
  const [offer] = offers.filter((each) => each !== undefined).filter(({ name }) => !declined.has(name))
  if (!offer) return null

  function decline(name: string) {
    const all = new Set(declined).add(name)
    remember('noHints', [...all].join(' '))
    setDeclined(all)
  }
  return (
    <section class="card hint" aria-label={offer.word}>
      <p class="status">
        <Icon name={offer.icon} />
        <span>{offer.sentence}</span>
      </p>
      <div class="actions">
        <button type="button" class="outlined" onClick={() => decline(offer.name)}>
          {words.notNow}
        </button>
        <button type="button" class="filled" onClick={offer.accept}>
          {offer.word}
        </button>
      </div>
    </section>
  )
}
