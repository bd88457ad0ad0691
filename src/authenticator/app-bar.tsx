import { Icon } from './icons.tsx'
import { useWords } from './words/speech.tsx'

interface AppBarProps {
  /** Absent while there is no account. */
  readonly onHistory?: (() => void) | undefined
  readonly onSettings?: () => void
}

/** The bar at the top of every screen. */
export function AppBar({ onHistory, onSettings }: AppBarProps) {
  const words = useWords()
  return (
    <header class="bar">
      <p class="brand">
        <img src="./icon.svg" alt="" width="24" height="24" />
        {words.appName}
      </p>
      {onHistory ? (
        <button type="button" class="icon-button" aria-label={words.history} onClick={onHistory}>
          <Icon name="history" />
        </button>
      ) : null}
      {onSettings ? (
        <button type="button" class="icon-button" aria-label={words.settings} onClick={onSettings}>
          <Icon name="settings" />
        </button>
      ) : null}
    </header>
  )
}
