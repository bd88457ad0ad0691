import type { PersonSignIn } from '../../../admin-contract/timeline.ts'
import { printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { check, clock, cross, type IconPath, shield } from '../../../ui/icons.ts'
import { useDateTime } from '../../parts/time.tsx'
import { useSignedIn } from '../../session/session.tsx'
import type { Words } from '../../texts/en.ts'
import { useWords } from '../../words/speech.tsx'
import { FactorRow } from './factor-row.tsx'

/** A sign-in; of some only the outcome is still known. */
type ShownSignIn = Omit<PersonSignIn, 'purpose'>

interface SignInRowProps {
  readonly signIn: ShownSignIn
  readonly onNotTheirs: (() => void) | undefined
}

/** The place and the means of a sign-in or an attempt. */
export function SignInRow({ signIn, onNotTheirs }: SignInRowProps) {
  const words = useWords()
  const dateTime = useDateTime()
  const { session } = useSignedIn()
  const { domain, factor, address, attributes, at } = signIn
  const app = session.domains.find(({ id }) => id === domain)?.name ?? domain
  const time = dateTime(at)
  const from = [...attributes.map(({ value }) => value), address ?? ''].filter((each) => each !== '')
  const how = [outcomeOf(signIn, words), ...(factor ? [words.factors[factor]] : []), ...browserOf(signIn, words)]
  return (
    <FactorRow
      icon={iconOf(signIn)}
      title={app}
      buttons={
        onNotTheirs ? (
          <Button
            class="outlined"
            aria-label={`${words.signIns.notTheirs.button}: ${app}, ${time}`}
            onClick={onNotTheirs}
            label={words.signIns.notTheirs.button}
          />
        ) : null
      }
    >
      {time} · {how.join(' · ')}
      {from.length > 0 ? <br /> : null}
      {from.map((each, index) => (
        <>
          {index > 0 ? ' · ' : null}
          <bdi>{printable(each)}</bdi>
        </>
      ))}
    </FactorRow>
  )
}

const outcomeOf = ({ state, reason }: ShownSignIn, { signIns }: Words): string =>
  reason === 'reported' ? signIns.reported : signIns.states[state]

const browserOf = ({ knownBrowser }: ShownSignIn, { signIns }: Words): readonly string[] =>
  knownBrowser === undefined ? [] : [knownBrowser ? signIns.knownBrowser : signIns.newBrowser]

function iconOf({ state, reason }: ShownSignIn): IconPath {
  if (reason === 'reported') return shield
  if (state === 'approved') return check
  return state === 'denied' ? cross : clock
}
