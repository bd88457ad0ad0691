import { useState } from 'preact/hooks'

import type { PersonSignIn } from '../../contract/admin/person-sign-ins.ts'
import { printable } from '../../printable.ts'
import { Button } from '../../ui/button.tsx'
import { check, clock, cross, type IconPath, shield } from '../../ui/icons.ts'
import { WhenLoaded } from '../parts/states.tsx'
import { useDateTime } from '../parts/time.tsx'
import { useSignedIn } from '../session.tsx'
import { useAttempt } from '../use-attempt.ts'
import { useLoad } from '../use-load.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/speech.tsx'
import { FactorRow } from './factor-row.tsx'
import type { PersonPartsProps } from './person-parts.tsx'

/** Where the person signed in lately, to answer: is this sign-in theirs? */
export function SignIns({ person: { id }, actions, changeable, onAsk }: PersonPartsProps) {
  const words = useWords()
  const { client } = useSignedIn()
  const { busy, run } = useAttempt()
  const read = (before?: string) =>
    client.call('GET /admin/people/:userId/sign-ins', { params: { userId: id }, query: { before } })
  const newest = useLoad(`sign-ins ${id}`, () => read())
  const [older, setOlder] = useState<Awaited<ReturnType<typeof read>>>()
  const next = (older ?? newest.value)?.next

  const showOlder = () =>
    run(async () => {
      const page = await read(next)
      setOlder((before) => ({ ...page, signIns: [...(before?.signIns ?? []), ...page.signIns] }))
    })
  return (
    <section class="card">
      <h2>{words.signIns.heading}</h2>
      <p class="sentence">{words.signIns.sentence}</p>
      <WhenLoaded of={newest}>
        {({ signIns }) =>
          signIns.length === 0 ? (
            <p class="part">{words.signIns.empty}</p>
          ) : (
            <ul class="list">
              {[...signIns, ...(older?.signIns ?? [])].map((signIn) => (
                <SignIn
                  key={signIn.id}
                  signIn={signIn}
                  onNotTheirs={changeable ? () => onAsk(actions.notTheirs()) : undefined}
                />
              ))}
            </ul>
          )
        }
      </WhenLoaded>
      {next === undefined ? null : (
        <div class="buttons">
          <Button
            class="outlined"
            aria-disabled={busy}
            onClick={() => busy || void showOlder()}
            label={words.signIns.older}
          />
        </div>
      )}
    </section>
  )
}

interface SignInProps {
  readonly signIn: PersonSignIn
  readonly onNotTheirs: (() => void) | undefined
}

function SignIn({ signIn, onNotTheirs }: SignInProps) {
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
      <br />
      {from.map((each, index) => (
        <>
          {index > 0 ? ' · ' : null}
          <bdi>{printable(each)}</bdi>
        </>
      ))}
    </FactorRow>
  )
}

const outcomeOf = ({ state, reason }: PersonSignIn, { signIns }: Words): string =>
  reason === 'reported' ? signIns.reported : signIns.states[state]

const browserOf = ({ knownBrowser }: PersonSignIn, { signIns }: Words): readonly string[] =>
  knownBrowser === undefined ? [] : [knownBrowser ? signIns.knownBrowser : signIns.newBrowser]

function iconOf({ state, reason }: PersonSignIn): IconPath {
  if (reason === 'reported') return shield
  if (state === 'approved') return check
  return state === 'denied' ? cross : clock
}
