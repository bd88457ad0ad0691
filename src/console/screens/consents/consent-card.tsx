import type { Consent } from '../../../admin-contract/consents.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { check, clock } from '../../../ui/icons.ts'
import { Problem } from '../../../ui/messages.tsx'
import { useClockTime } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'
import { ConsentFacts } from './consent-facts.tsx'
import { useOperationName } from '../../parts/operation-name.ts'

interface ConsentCardProps {
  readonly consent: Consent
  readonly reload: () => Promise<void>
  /** Carries the action out, where the person who asked for it can. */
  readonly onCarryOut?: () => Promise<void>
}

/** One request, with the buttons of those who may decide. */
export function ConsentCard({ consent, reload, onCarryOut }: ConsentCardProps) {
  const words = useWords()
  const { client, session } = useSignedIn()
  const say = useToast()
  const timeOf = useClockTime()
  const nameOf = useOperationName()
  const { busy, problem, run } = useAttempt()
  const { id, operation, person, requestedBy, because, state, givable, deniable, expiresAt } = consent
  const params = { consentId: id }

  async function give() {
    await client.call('POST /admin/consents/:consentId/give', { params })
    say(words.consentGivenNow)
    await reload()
  }
  async function deny() {
    await client.call('POST /admin/consents/:consentId/deny', { params })
    say(words.consentDeniedNow)
    await reload()
  }
  const label = words.consentStates[state]
  const isReady = state === 'given' && requestedBy.id === session.administrator.id && onCarryOut !== undefined
  return (
    <div class="notice-bar" role="group" aria-label={nameOf(operation)}>
      <Icon path={state === 'given' ? check : clock} />
      <p>
        <strong>{words.consentOf(nameOf(operation), isolated(person.name))}</strong>
        <small>
          {words.askedBy(isolated(requestedBy.name))} · {words.reasons[because]}
        </small>
        <small role="status">{typeof label === 'string' ? label : label(timeOf(expiresAt))}</small>
      </p>
      <ConsentFacts consent={consent} />
      {givable || deniable || isReady ? (
        <div class="buttons inline">
          {deniable ? (
            <Button class="outlined" aria-disabled={busy} onClick={() => busy || void run(deny)} label={words.deny} />
          ) : null}
          {givable ? (
            <Button
              class="filled"
              aria-disabled={busy}
              onClick={() => busy || void run(give)}
              label={words.giveConsent}
            />
          ) : null}
          {isReady ? (
            <Button
              class="filled"
              aria-disabled={busy}
              onClick={() => busy || void run(onCarryOut)}
              label={words.carryOut}
            />
          ) : null}
        </div>
      ) : null}
      {problem === undefined ? null : <Problem text={problem} />}
    </div>
  )
}
