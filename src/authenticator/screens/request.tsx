import { useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import type { DeviceRequest } from '../../contract/device-answers.ts'
import { printable } from '../../ground/printable.ts'
import type { Device } from '../../device/device.ts'
import type { Answer } from '../../device/requests.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { AnswerForm } from '../inbox/answer-form.tsx'
import { Card, Emblem } from '../parts/card.tsx'
import { confirmedBy } from '../accounts/facts.ts'
import { RequestFacts } from '../inbox/request-facts.tsx'
import { TimeLeft } from '../parts/time-left.tsx'
import { useInputDelay } from '../hooks/use-input-delay.ts'
import { useNovelty } from '../inbox/use-novelty.ts'
import type { Pending } from '../inbox/use-inbox.ts'
import { useTop } from '../hooks/use-top.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'
import type { Words } from '../texts/en.ts'

interface RequestScreenProps {
  readonly device: Device
  readonly pending: Pending
  readonly clock: Clock
  readonly now: number
  readonly busy: boolean
  readonly problem: string | undefined
  /** The number of all pending requests. */
  readonly count: number
  readonly onAnswer: (answer: Answer) => void
  readonly onScan: (secret: string) => Promise<string | undefined>
  readonly onDeny: () => void
  readonly onBack: () => void
}

/** One request on one screen: what it is about, its facts, one question at a time, and the answers. */
export function RequestScreen({
  device,
  pending,
  clock,
  now,
  busy,
  problem,
  count,
  onAnswer,
  onScan,
  onDeny,
  onBack,
}: RequestScreenProps) {
  const words = useWords()
  const { account, request } = pending
  const [opened, setOpened] = useState(false)
  const novelty = useNovelty(device, pending)
  useTop()
  const ready = useInputDelay(clock)
  const blocked = busy || !ready
  const { name, title } = titleOf(request, words)
  const serviceTime = now + account.clockOffset
  const toggle = () => setOpened(!opened)

  return (
    <Card
      class={opened ? 'request opened' : 'request'}
      name={name}
      title={title}
      head={(headline) => (
        <div class="head" onClick={toggle}>
          <Emblem domain={request.domain} serviceUrl={account.serviceUrl} />
          {headline}
          <TimeLeft request={request} now={serviceTime} />
          <p class="who" id="who">
            <bdi>{nameOfUser(request.user)}</bdi>
            {account.organization.name === request.domain.name ? null : (
              <>
                <span> · </span>
                <bdi>{printable(account.organization.name)}</bdi>
              </>
            )}
          </p>
        </div>
      )}
    >
      <RequestFacts {...{ request, novelty, opened }} now={serviceTime} onToggle={toggle} />
      <AnswerForm {...{ account, request, clock, busy, blocked, problem, onAnswer, onScan }} onDeny={onDeny} />
      <Button
        class="report"
        icon={icons.shield}
        aria-disabled={blocked}
        onClick={() => blocked || onAnswer({ decision: 'report' })}
        label={words.report}
      />
      <Button class="link later" onClick={onBack} label={count > 1 ? words.allRequests(count) : words.later} />
    </Card>
  )
}

/** The action that an approval allows, and its place. The name is emphasized, wherever a language puts it. */
function titleOf(request: DeviceRequest, words: Words) {
  const confirmed = confirmedBy(request)
  const heading = request.purpose === 'change_devices' ? words.changeDevicesAt : words.signInTo
  const ask = confirmed === undefined ? heading : (app: string) => words.confirmAt(printable(confirmed), app)
  const [before = '', after = ''] = ask('\0').split('\0')
  const name = printable(request.domain.name)
  const title = (
    <>
      <span class={confirmed === undefined ? '' : 'purpose'}>{before}</span>
      <span class="named">
        <bdi>{name}</bdi>
        {after === '' ? null : <span>{after}</span>}
      </span>
    </>
  )
  return { name: ask(name), title }
}
