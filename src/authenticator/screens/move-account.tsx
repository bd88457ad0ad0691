import { useEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { moveLifetimes } from '../../contract/device.ts'
import { type Move, type MoveClaim } from '../../contract/device-answers.ts'
import { requiredSecret } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { isolated } from '../../ground/printable.ts'
import { moveLink } from '../../device/service-url.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem, Status } from '../../ui/messages.tsx'
import { QrCode } from '../parts/qr-code.tsx'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { About, Card } from '../parts/card.tsx'
import { TimeLeft } from '../parts/time-left.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'
import { MoveNumber } from './move-number.tsx'
import { PinForm } from './pin-form.tsx'

interface MoveAccountScreenProps {
  readonly device: Device
  readonly clock: Clock
  /** Unix time by this device's clock, seconds. */
  readonly now: number
  readonly account: StoredAccount
  /** Removes the account here. */
  readonly onMoved: () => Promise<void>
  readonly onBack: () => void
}

/** Moves an account to a new phone: shows a code for it, and asks before anything moves. */
export function MoveAccountScreen({ device, clock, now, account, onMoved, onBack }: MoveAccountScreenProps) {
  const words = useWords()
  const secret = requiredSecret(account)
  const [move, setMove] = useState<Move>()
  const [claim, setClaim] = useState<MoveClaim>()
  const [movedTo, setMovedTo] = useState<string>()
  const { busy, problem, showProblem, run } = useAttempt(!secret)
  const serviceTime = now + account.clockOffset
  const open = useRef(false)
  open.current = move !== undefined && movedTo === undefined

  const begin = (pin?: string) =>
    run(async () => {
      setClaim(undefined)
      setMove(await device.beginMove(account, pin === undefined ? {} : { pin }))
    })
  const beginAgain = () => {
    setMove(undefined)
    setClaim(undefined)
    showProblem(undefined)
    if (!secret) void begin()
  }
  const confirm = (shownClaim: MoveClaim) =>
    run(async () => {
      await device.confirmMove(account, shownClaim)
      setMovedTo(shownClaim.name)
      await onMoved()
    })
  useEffect(() => {
    if (!secret) void begin()
    // After the person has left, another person must not be able to take the account along.
    return () => void (open.current && device.cancelMove(account).catch(() => {}))
  }, [])
  useRepeated(clock, open.current && !busy, async () => {
    const currentClaim = await device.moveClaim(account)
    if (currentClaim) showProblem(undefined)
    setClaim(currentClaim)
    if (claim && !currentClaim) setMove(undefined)
    if (claim && !currentClaim) showProblem(words.moveOver)
  })

  if (movedTo !== undefined) {
    return (
      <Card
        key="moved"
        title={
          <span class="outcome ok">
            <Icon path={icons.check} />
            <>{words.moved}</>
          </span>
        }
      >
        <p class="sentence centered">{words.movedTo(isolated(movedTo))}</p>
        <Button class="outlined wide" onClick={onBack} label={words.ok} />
      </Card>
    )
  }
  if (claim?.requested) {
    return (
      <Card key="confirm" title={words.moveTo(isolated(claim.name))}>
        <About domain={account.domain} serviceUrl={account.serviceUrl}>
          <strong>
            <bdi>{nameOfUser(account.user)}</bdi>
          </strong>
          <small>
            <bdi>{account.domain.name}</bdi>
          </small>
        </About>
        <p class="sentence">{words.moveCompare}</p>
        <MoveNumber device={claim.device} />
        <Problem text={problem} />
        <div class="actions">
          <Button class="outlined" disabled={busy} onClick={onBack} label={words.cancel} />
          <Button class="filled" disabled={busy} onClick={() => void confirm(claim)} label={words.moveNow} />
        </div>
      </Card>
    )
  }
  if (secret && !move && problem !== words.moveOver) {
    return (
      <PinForm
        title={words.moveTitle}
        kind={secret}
        busy={busy}
        problem={problem}
        onPin={(pin) => void begin(pin)}
        onCancel={onBack}
      >
        {words.moveSentence}
      </PinForm>
    )
  }
  const shownMove = move && !claim && move.expiresAt > serviceTime ? move : undefined
  return (
    <Card title={words.moveTitle} onBack={onBack}>
      {claim ? (
        <Status icon={icons.phone}>{words.moveScanned(isolated(claim.name))}</Status>
      ) : (
        <>
          <p class="sentence">{words.moveScan}</p>
          {shownMove ? (
            <QrCode text={moveLink(account.serviceUrl, shownMove.code)} label={words.moveScan} />
          ) : (
            <div class="qr-code" />
          )}
          {shownMove ? (
            <TimeLeft
              request={{ createdAt: shownMove.expiresAt - moveLifetimes.code, expiresAt: shownMove.expiresAt }}
              now={serviceTime}
            />
          ) : (
            <Button
              class="filled wide"
              disabled={busy}
              onClick={beginAgain}
              label={busy ? words.oneMoment : words.moveNewCode}
            />
          )}
          <Problem text={problem} />
        </>
      )}
    </Card>
  )
}
