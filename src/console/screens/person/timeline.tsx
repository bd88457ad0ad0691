import { useState } from 'preact/hooks'

import type { TimelineKind } from '../../../admin-contract/timeline.ts'
import { Button } from '../../../ui/button.tsx'
import { WhenLoaded } from '../../parts/states.tsx'
import { auditPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { sectionsFor } from '../../session/sections.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import type { PersonPartsProps } from './person-parts-props.ts'
import { ChangeRow } from './change-row.tsx'
import { SignInRow } from './sign-in-row.tsx'

type TimelineProps = Pick<PersonPartsProps, 'person' | 'actions' | 'changeable' | 'onAsk'>

/** Sign-ins of a person and changes of what signs in, to answer: is this theirs, and who did it? */
export function Timeline({ person, actions, changeable, onAsk }: TimelineProps) {
  const words = useWords()
  const { client, session } = useSignedIn()
  const { busy, problem, showProblem, run } = useAttempt()
  const [kind, setKind] = useState<TimelineKind>()
  const read = (before?: string) =>
    client.call('GET /admin/people/:userId/timeline', { params: { userId: person.id }, query: { kind, before } })
  const key = `timeline ${person.id} ${kind ?? ''}`
  const newest = useLoad(key, () => read(), { keep: true })
  const [olderPage, setOlder] = useState<{ readonly key: string; readonly page: Awaited<ReturnType<typeof read>> }>()
  const more = olderPage?.key === key && newest.current ? olderPage.page : undefined
  const next = (more ?? newest.value)?.next

  const showOlder = () =>
    run(async () => {
      const page = await read(next)
      setOlder({
        key,
        page: {
          ...page,
          entries: [...(more?.entries ?? []), ...page.entries],
          names: { ...more?.names, ...page.names },
        },
      })
    })
  function choose(newKind: TimelineKind | undefined) {
    setKind(newKind)
    // It was about older entries of the kind before.
    showProblem(undefined)
  }
  const onNotTheirs = changeable ? () => onAsk(actions.notTheirs()) : undefined
  return (
    <section class="card">
      <h2>{words.timeline.heading}</h2>
      <KindChoice kind={kind} onChoose={choose} />
      <WhenLoaded loaded={newest}>
        {({ waiting, entries, names }) =>
          waiting.length + entries.length === 0 ? (
            <p class="part">{words.timeline.empty}</p>
          ) : (
            <ul class="list">
              {waiting.map((signIn) => (
                <SignInRow key={signIn.id} signIn={signIn} onNotTheirs={onNotTheirs} />
              ))}
              {[...entries, ...(more?.entries ?? [])].map((entry) =>
                entry.signIn ? (
                  <SignInRow key={entry.position} signIn={entry.signIn} onNotTheirs={onNotTheirs} />
                ) : (
                  <ChangeRow key={entry.position} entry={entry} names={{ ...names, ...more?.names }} />
                ),
              )}
            </ul>
          )
        }
      </WhenLoaded>
      {problem === undefined ? null : <p class="problem">{problem}</p>}
      <div class="buttons">
        {next === undefined ? null : (
          <Button
            class="outlined"
            aria-disabled={busy}
            onClick={() => busy || void showOlder()}
            label={words.signIns.older}
          />
        )}
        {sectionsFor(session.administrator.role).some(({ path }) => path === 'audit') ? (
          <Link to={auditPlace({ user: person.id })} class="button outlined">
            {words.timeline.inAudit}
          </Link>
        ) : null}
      </div>
    </section>
  )
}

interface KindChoiceProps {
  readonly kind: TimelineKind | undefined
  readonly onChoose: (kind: TimelineKind | undefined) => void
}

function KindChoice({ kind, onChoose }: KindChoiceProps) {
  const { filter, timeline } = useWords()
  return (
    <div class="filters timeline-filters" role="group" aria-label={filter}>
      {([undefined, 'sign_ins', 'changes'] as const).map((each) => (
        <button
          key={each ?? 'all'}
          type="button"
          class="chip"
          aria-pressed={kind === each}
          onClick={() => onChoose(each)}
        >
          {each === undefined ? timeline.all : timeline.kinds[each]}
        </button>
      ))}
    </div>
  )
}
