import * as icons from '../../ui/icons.ts'
import { Status } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { useWords } from '../words/speech.tsx'

export type Obstacle = 'insecure' | 'oldBrowser' | 'noStorage'

/** Explains why keys cannot be stored here. */
export function CannotRunScreen({ obstacle }: { readonly obstacle: Obstacle }) {
  const words = useWords()
  return (
    <Card title={words.cannotRun}>
      <Status icon={icons.warning}>{words[obstacle]}</Status>
    </Card>
  )
}

/** Checks what the browser lacks, before a key is created. */
export function findObstacle(): Obstacle | undefined {
  if (!isSecureContext) return 'insecure'
  const able = 'subtle' in crypto && 'indexedDB' in window && 'any' in AbortSignal && 'parse' in URL
  return able ? undefined : 'oldBrowser'
}
