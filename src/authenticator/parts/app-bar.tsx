import { IconButton } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { useWords } from '../words/speech.tsx'

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
      {onHistory ? <IconButton icon={icons.history} label={words.history} onClick={onHistory} /> : null}
      {onSettings ? <IconButton icon={icons.settings} label={words.settings} onClick={onSettings} /> : null}
    </header>
  )
}
