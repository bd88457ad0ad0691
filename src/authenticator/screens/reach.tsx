import { useEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import type { Device } from '../../device/device.ts'
import { Button } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Problem, Status } from '../../ui/messages.tsx'
import type { StoredAccount } from '../accounts/accounts-store.ts'
import { useAttempt } from '../hooks/use-attempt.ts'
import { nameOf } from '../accounts/use-accounts.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'
import { Steps } from './blocked-steps.tsx'

interface ReachProps {
  readonly device: Device
  readonly clock: Clock
  readonly accounts: readonly StoredAccount[]
  /** Whether notifications are on. */
  readonly notified: boolean
  /** Opens a request to try out. @param reached Whether a notification arrived for it. */
  readonly onPractice: (reached: boolean) => void
}

/** How long to wait for a notification, milliseconds. */
const maxWait = 20_000

type Result = 'waiting' | 'arrived' | 'missing'

/** "Does it reach me?": sends a test through the push service, and says whether its notification arrived. */
export function Reach({ device, clock, accounts, notified, onPractice }: ReachProps) {
  const words = useWords()
  const [chosenAccount, setChosen] = useState(accounts[0])
  const [result, setResult] = useState<Result>()
  const { busy, problem, run } = useAttempt()
  const arrivals = useRef(new Set<unknown>())
  const wantedId = useRef<string | undefined>(undefined)

  useEffect(() => {
    const note = ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== 'object' || data === null || !('test' in data)) return
      arrivals.current.add(data.test)
      if (data.test === wantedId.current) setResult('arrived')
    }
    navigator.serviceWorker?.addEventListener('message', note)
    return () => navigator.serviceWorker?.removeEventListener('message', note)
  }, [])
  useEffect(() => {
    if (result !== 'waiting') return undefined
    return clock.after(maxWait, () => setResult('missing'))
  }, [result])

  const blocked = busy || result === 'waiting'
  const send = () =>
    run(async () => {
      if (!notified || !chosenAccount) return onPractice(false)
      setResult(undefined)
      const { id, sent } = await device.testPush(chosenAccount)
      wantedId.current = id
      // The notification may be faster than the response.
      setResult(arrivals.current.has(id) ? 'arrived' : sent ? 'waiting' : 'missing')
    })
  return (
    <section class="part">
      <h2>{words.reachTitle}</h2>
      <p class="sentence">{words.reachSentence}</p>
      {accounts.length > 1 ? (
        <label class="field">
          <span>{words.reachAccount}</span>
          <select
            value={chosenAccount?.id}
            onChange={({ currentTarget }) => setChosen(accounts.find(({ id }) => id === currentTarget.value))}
          >
            {accounts.map((account) => (
              <option key={account.id} value={account.id}>
                {words.at(nameOfUser(account.user), nameOf(account))}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <Button
        class="outlined wide"
        aria-disabled={blocked}
        onClick={() => blocked || void send()}
        label={words.reachSend}
      />
      {problem === undefined ? null : <Problem text={problem} />}
      {result === undefined ? null : <Status icon={resultIcons[result]}>{words.reachResults[result]}</Status>}
      {result === 'missing' ? <Steps steps={words.reachSteps} /> : null}
      {result === 'arrived' || result === 'missing' ? (
        <Button class="outlined wide" onClick={() => onPractice(result === 'arrived')} label={words.reachHere} />
      ) : null}
    </section>
  )
}

const resultIcons = { waiting: icons.clock, arrived: icons.check, missing: icons.warning } as const
