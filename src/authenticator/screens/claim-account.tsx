import { useEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { moveLifetimes } from '../../contract/device.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { DeviceError, isTransient } from '../../device/device-error.ts'
import type { ClaimedAccount } from '../../device/move.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem, Status } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import { deviceName } from '../../ui/device-name.ts'
import { problemOf } from '../hooks/problem.ts'
import { TimeLeft } from '../parts/time-left.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { useNow } from '../hooks/use-now.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import { useWords } from '../words/speech.tsx'
import { ConfirmAccount } from './confirm-account.tsx'
import { MoveNumber } from './move-number.tsx'
import { PinForm } from './pin-form.tsx'
import { RemoveAccountScreen } from './remove-account.tsx'

interface ClaimAccountScreenProps {
  readonly device: Device
  readonly clock: Clock
  readonly serviceUrl: string
  readonly code: string
  /** Makes sure that an account can be stored, before its code is used up. */
  readonly ensureWritable: () => Promise<void>
  readonly onAdded: (account: Account) => Promise<void>
  readonly onCancel: () => void
}

/** `over`: the code or the move has ended; nothing was added. `remove`: the account has moved, and the person leaves without the PIN. */
type Step = 'claiming' | 'offer' | 'pin' | 'waiting' | 'over' | 'remove'

/** Takes an account over from an old phone. The code is used up at once, as it is shown for seconds only. */
export function ClaimAccountScreen(props: ClaimAccountScreenProps) {
  const { device, clock, serviceUrl, code, ensureWritable, onAdded, onCancel } = props
  const words = useWords()
  const now = useNow(clock)
  const [step, setStep] = useState<Step>('claiming')
  const [claimed, setClaimed] = useState<ClaimedAccount>()
  const [pin, setPin] = useState<string>()
  const [moved, setMoved] = useState(false)
  const { problem, showProblem } = useAttempt()
  const abandon = async (waitingAccount: ClaimedAccount, typedPin?: string) => {
    const account = await device.abandonMove(waitingAccount, { pin: typedPin })
    // The person has confirmed on the old phone, which no longer has the account.
    if (account) await onAdded(account)
  }
  const waiting = useRef<Parameters<typeof abandon> | undefined>(undefined)
  waiting.current = step === 'over' || !claimed ? undefined : [claimed, pin]
  /** Set at once: this screen may be drawn again before it goes. */
  const isDone = useRef(false)

  const fail = (error: unknown) => {
    const ended = error instanceof DeviceError && error.code === 'api.error.notfound.activationcode'
    showProblem(ended ? (claimed ? words.moveOver : words.moveBadCode) : problemOf(error, words))
    setStep('over')
  }
  useEffect(() => {
    let isUnmounted = false
    const claim = async () => {
      await ensureWritable()
      const account = await device.claimMove(serviceUrl, code, deviceName(navigator.userAgent))
      // The person left before the answer: the old phone is told.
      if (isUnmounted) return abandon(account)
      setClaimed(account)
      setStep('offer')
    }
    void claim().catch(fail)
    return () => {
      isUnmounted = true
      if (waiting.current && !isDone.current) void abandon(...waiting.current).catch(() => {})
    }
  }, [])
  useRepeated(clock, step === 'waiting', async () => {
    if (!claimed) return
    try {
      const account = await device.collectMove(claimed, { pin })
      if (!account) return
      isDone.current = true
      await onAdded(account)
    } catch (error) {
      if (isTransient(error)) return
      if (!(error instanceof DeviceError) || error.code !== 'api.error.invalid.pin') return fail(error)
      // The old phone no longer has the account: the PIN is checked only then. A wrong one is not sent again.
      setMoved(true)
      setPin(undefined)
      showProblem(problemOf(error, words))
      setStep('pin')
    }
  })

  if (step === 'over' || !claimed) {
    return (
      <Card key={step} title={words.addTitle}>
        {step === 'over' ? <Problem text={problem} /> : <Status icon={icons.clock}>{words.oneMoment}</Status>}
        <Button class="outlined wide" onClick={onCancel} label={words.back} />
      </Card>
    )
  }
  const { keyType } = claimed.preview.domain
  if (step === 'offer') {
    const join = () => setStep(keyType === 'NONE' ? 'waiting' : 'pin')
    return (
      <ConfirmAccount preview={claimed.preview} busy={false} problem={undefined} onJoin={join} onCancel={onCancel} />
    )
  }
  if (step === 'pin' && keyType !== 'NONE') {
    const wait = (typedPin: string) => {
      setPin(typedPin)
      showProblem(undefined)
      setStep('waiting')
    }
    return (
      <PinForm
        title={keyType === 'PIN' ? words.yourPin : words.yourPasscode}
        kind={keyType}
        busy={false}
        problem={problem}
        onPin={wait}
        onCancel={moved ? () => setStep('remove') : onCancel}
      >
        {words.moveSecret}
      </PinForm>
    )
  }
  if (step === 'remove') {
    const leave = async () => {
      isDone.current = true
      onCancel()
    }
    const { organization, domain, user } = claimed.preview
    const account = { ...claimed, organization, domain, user }
    return <RemoveAccountScreen {...{ device, account }} onRemoved={leave} onCancel={() => setStep('pin')} />
  }
  const { expiresAt } = claimed
  return (
    <Card key={step} title={words.moveConfirm}>
      <p class="sentence">{words.moveCompare}</p>
      <MoveNumber device={claimed.id} />
      <TimeLeft request={{ createdAt: expiresAt - moveLifetimes.claim, expiresAt }} now={now + claimed.clockOffset} />
      <Button class="outlined wide" onClick={onCancel} label={words.cancel} />
    </Card>
  )
}
