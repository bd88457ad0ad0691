import { useEffect, useRef, useState } from 'preact/hooks'

import type { CallerVerification } from '../../../admin-contract/caller-verifications.ts'
import type { Person } from '../../../admin-contract/people.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { shield } from '../../../ui/icons.ts'
import { Problem } from '../../../ui/messages.tsx'
import { hasCode, retryAfterOf } from '../../client/errors.ts'
import { useClockTime, useDayTime } from '../../parts/time.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useSpeech, useWords } from '../../words/speech.tsx'
import { NumberDialog } from './number-dialog.tsx'
import { isNo, type Outcome, outcomeOf } from './caller-outcome.ts'
import { useCaller } from './use-caller.ts'
import { useTimeLeft } from './use-time-left.ts'

interface CallerCardProps {
  readonly person: Person
  readonly changeable: boolean
  readonly reload: () => Promise<void>
}

/** Asks the person's device whether the person is on the phone, and shows the outcome while it stands. */
export function CallerCard({ person, changeable, reload }: CallerCardProps) {
  const words = useWords()
  const [clockTime, dayTime] = [useClockTime(), useDayTime()]
  const { question: loadedQuestion, ask } = useCaller(person, reload)
  const { busy, problem, showProblem, run } = useAttempt()
  const [open, setOpen] = useState(false)
  const now = useNow(loadedQuestion !== undefined)
  const question = loadedQuestion && (endOf(loadedQuestion) > now || open) ? loadedQuestion : undefined
  const { domains } = useSignedIn().session
  const { locale } = useSpeech()
  const namesOf = ({ covers }: CallerVerification) =>
    new Intl.ListFormat(locale).format(domains.filter(({ id }) => covers.includes(id)).map((app) => isolated(app.name)))
  const name = isolated(person.name)
  const domain = domainToAsk(person)
  const texts = words.caller

  const verify = () =>
    run(async () => {
      try {
        await ask(domain ?? '')
        setOpen(true)
      } catch (error) {
        if (!hasCode(error, 'api.error.toomanyrequests')) throw error
        showProblem(texts.limit(dayTime(Math.ceil(Date.now() / 1000) + (retryAfterOf(error) ?? 60))))
      }
    })
  const card = useRef<HTMLElement>(null)
  const isVerified = question?.state === 'confirmed'
  // The outcome stands beside the actions, which come next. Only a No waits to be read.
  useEffect(() => {
    if (!open || !isVerified) return
    setOpen(false)
    card.current?.parentElement?.querySelector<HTMLElement>('.call-actions button')?.focus()
  }, [open, isVerified])
  const outcome = question && outcomeOf({ question, words, name, until: clockTime(endOf(question)) })
  const blocked = person.helpDeskBlockedUntil
  const waits = question?.state === 'pending'
  const offered = changeable && domain !== undefined && question?.state !== 'confirmed' && blocked === undefined
  if (!changeable && blocked === undefined) return null
  return (
    <section
      ref={card}
      class={`caller ${outcome?.tone ?? (blocked === undefined ? 'plain' : 'danger')}`}
      aria-label={texts.heading}
    >
      <Icon path={outcome?.icon ?? shield} />
      <div class="caller-text" role="status">
        {outcome ? (
          <Told
            outcome={outcome}
            coverage={question.state === 'confirmed' ? coverageOf(words, question, namesOf(question)) : ''}
          />
        ) : blocked === undefined ? (
          <p>{offerOf(words, name, domain)}</p>
        ) : null}
        {blocked === undefined ? null : <p>{texts.blocked(dayTime(blocked))}</p>}
        {question && !isNo(question) && question.state !== 'expired' ? <Left question={question} now={now} /> : null}
      </div>
      {waits ? (
        <Button class="outlined" onClick={() => setOpen(true)} label={texts.show} />
      ) : offered ? (
        <Button
          class="outlined"
          aria-disabled={busy}
          onClick={() => busy || void verify()}
          label={question ? texts.again : texts.verify}
        />
      ) : null}
      <Problem text={problem} />
      {open && !isVerified && question && outcome ? (
        <NumberDialog question={question} outcome={outcome} now={now} onClose={() => setOpen(false)} />
      ) : null}
    </section>
  )
}

interface ToldProps {
  readonly outcome: Outcome
  /** The domains that a verification is enough for. */
  readonly coverage: string
}

function Told({ outcome: { title, sentence }, coverage }: ToldProps) {
  return (
    <>
      <strong>{title}</strong>
      <p>
        {sentence} {coverage}
      </p>
    </>
  )
}

function Left({ question, now }: { readonly question: CallerVerification; readonly now: number }) {
  const words = useWords()
  const timeLeft = useTimeLeft()
  return <small role="timer">{words.caller.left(timeLeft(endOf(question) - now))}</small>
}

/** The domains that the verification is enough for. */
function coverageOf(
  { caller }: ReturnType<typeof useWords>,
  { everywhere }: CallerVerification,
  names: string,
): string {
  return everywhere ? caller.coversAll : caller.coversSome(names)
}

/** The time at which the question ends, or its outcome no longer stands. */
const endOf = ({ standsUntil, expiresAt }: CallerVerification): number => standsUntil ?? expiresAt

const offerOf = ({ caller }: ReturnType<typeof useWords>, name: string, domain: string | undefined): string =>
  domain === undefined ? caller.noDevice : caller.offer(name)

/** The domain with the strongest device, as its answer covers most; of several, the one that the person used last. */
function domainToAsk({ tokens }: Person): string | undefined {
  const devices = tokens.filter(({ device }) => device !== undefined)
  const inOrder = devices.toSorted((a, b) => strengthOf(b) - strengthOf(a) || usedAt(b) - usedAt(a))
  return inOrder[0]?.domain
}

const strengthOf = ({ keyType }: Person['tokens'][number]): number => ['NONE', 'PIN', 'PASSCODE'].indexOf(keyType)

const usedAt = ({ device }: Person['tokens'][number]): number => device?.lastUsedAt ?? device?.createdAt ?? 0
