import { useRef, useState } from 'preact/hooks'

import type { Because } from '../../../admin-contract/because.ts'
import type { ConsentParameters } from '../../../admin-contract/consents.ts'
import { hasCode } from '../../client/errors.ts'
import { type ActionValues, nothingEntered, type PersonAction, type ShownCode } from './action.ts'
import { isNothing, type Losses } from './losses.ts'
import { useWords } from '../../words/speech.tsx'
import { ActionFields } from './action-fields.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { LossList } from './loss-list.tsx'
import { ReasonChoice, useReason } from '../../parts/reason-choice.tsx'

/** The consent that another administrator is asked for. */
export interface AskedConsent {
  readonly operation: string
  readonly parameters: ConsentParameters
  readonly because: Because
}

interface ActionDialogProps {
  readonly action: PersonAction
  /** The possessions that the action removes from the person. */
  readonly losses: Losses | undefined
  /** Whether the person is read again, so that it is not known yet what is removed. */
  readonly reading: boolean
  /** Whether the person has a device that can be asked. */
  readonly verifiable: boolean
  /** Whether the caller was verified, so that what is refused needs a stronger device. */
  readonly verified: boolean
  /** Asks another administrator to consent to it. */
  readonly onAsk: (consent: AskedConsent) => Promise<void>
  /** It is done; with a code to show, if there is one. */
  readonly onDone: (code: ShownCode | undefined) => void
  readonly onClose: () => void
}

/** Asks before an action on a person, and for its reason, which the audit trail records. */
export function ActionDialog(props: ActionDialogProps) {
  const { action, losses, reading, verifiable, verified, onAsk, onDone, onClose } = props
  const words = useWords()
  const reason = useReason(action.because)
  const [values, setEntered] = useState<ActionValues>({ ...nothingEntered, ...action.values })
  /** Why another administrator has to consent to it. */
  const [guarded, setGuarded] = useState<'guarded' | 'sameaddress'>()

  /** Set once the action has succeeded. */
  const done = useRef<{ readonly code: ShownCode | undefined }>(undefined)

  // Only now: the browser has returned the focus to the button, and no two dialogs are open.
  function closed() {
    onClose()
    if (done.current) onDone(done.current.code)
  }
  async function confirm() {
    const because = reason.require()
    if (!because) return false
    const { operation, parameters } = action
    if (guarded) return onAsk({ operation, parameters: parameters?.(values) ?? {}, because })
    try {
      done.current = { code: await action.run(because, values) }
    } catch (error) {
      const need = (['guarded', 'sameaddress'] as const).find((each) => hasCode(error, `api.error.forbidden.${each}`))
      if (need === undefined) throw error
      setGuarded(need)
      return false
    }
  }
  if (guarded) {
    return (
      <Confirm key="guarded" title={words.askAnother} action={words.ask} harmless onConfirm={confirm} onClose={onClose}>
        <p>{guarded === 'guarded' ? words.askAnotherSentence : words.askBecauseOfAddress}</p>
        {verifiable && guarded === 'guarded' ? <p>{verified ? words.caller.tooWeak : words.caller.orVerify}</p> : null}
      </Confirm>
    )
  }
  return (
    <Confirm
      key="action"
      title={action.title}
      action={action.action}
      harmless={action.harmless ?? false}
      waiting={losses !== undefined && reading}
      onConfirm={confirm}
      onClose={closed}
    >
      <p>{action.sentence}</p>
      {losses && !(action.harmless && isNothing(losses)) ? <LossList losses={losses} /> : null}
      {action.asks === undefined ? null : (
        <ActionFields asks={action.asks} apps={action.apps} values={values} onChange={setEntered} />
      )}
      <ReasonChoice reason={reason} />
    </Confirm>
  )
}
