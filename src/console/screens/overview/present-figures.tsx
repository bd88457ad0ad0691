import type { Overview } from '../../../admin-contract/overview.ts'
import { Icon } from '../../../ui/icon.tsx'
import { clock, type IconPath, lock, shield } from '../../../ui/icons.ts'
import { placeBehind } from '../../session/places.ts'
import { useWords } from '../../words/speech.tsx'
import { Figure } from './figure.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** The oldest request that can still wait, seconds: no domain has a longer request timeout. */
const maxRequestTimeout = 600

const day = 24 * 60 * 60

interface PresentFiguresProps {
  readonly overview: Pick<Overview, 'locked' | 'waiting' | 'reported'>
  readonly domain: string | undefined
}

/** The figures that need attention now. */
export function PresentFigures({ overview: { locked, waiting, reported }, domain }: PresentFiguresProps) {
  const { overview: words } = useWords()
  const now = Math.floor(Date.now() / 1000)
  return (
    <ul class="list figures">
      <PresentFigure icon={lock} title={words.locked} count={locked} to={placeBehind('locked', { domain })} />
      <PresentFigure
        icon={clock}
        title={words.waiting}
        count={waiting}
        to={placeBehind('waiting', { domain, since: now - maxRequestTimeout })}
      />
      <PresentFigure
        icon={shield}
        title={words.reported}
        count={reported}
        to={placeBehind('reported', { domain, since: now - day })}
      />
    </ul>
  )
}

interface PresentFigureProps {
  readonly icon: IconPath
  readonly title: string
  readonly count: number
  readonly to: string
}

function PresentFigure({ icon, title, count, to }: PresentFigureProps) {
  const numbers = useNumbers()
  return (
    <li>
      <Figure to={to} class="card figure">
        <Icon path={icon} />
        <strong>{numbers.count(count)}</strong>
        <span>{title}</span>
      </Figure>
    </li>
  )
}
