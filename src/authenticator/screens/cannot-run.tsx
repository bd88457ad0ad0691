import { Card, Status } from '../card.tsx'
import { messages } from '../messages.ts'

export type Obstacle = 'insecure' | 'oldBrowser' | 'noStorage'

/** Says plainly what stands in the way of keeping a key here. */
export function CannotRunScreen({ obstacle }: { readonly obstacle: Obstacle }) {
  return (
    <Card title={messages.cannotRun}>
      <Status icon="warning">{messages[obstacle]}</Status>
    </Card>
  )
}

/** What stands in the way before anything was tried. */
export function findObstacle(): Obstacle | undefined {
  if (!isSecureContext) return 'insecure'
  const able = 'subtle' in crypto && 'indexedDB' in window && 'any' in AbortSignal && 'parse' in URL
  return able ? undefined : 'oldBrowser'
}
