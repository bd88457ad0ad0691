import { useEffect, useState } from 'preact/hooks'

import type { RequesterBlock } from '../../contract/approval-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { useSpeech } from '../words/speech.tsx'
import { RequesterName } from './approval-content.tsx'

interface BlockedRequestersProps {
  readonly device: Device
  readonly account: Account
}

/** The requesters that the person has blocked by "I didn't ask for this"; nothing while there are none. */
export function BlockedRequesters({ device, account }: BlockedRequestersProps) {
  const { words, locale } = useSpeech()
  const [blocks, setBlocks] = useState<readonly RequesterBlock[]>([])
  const { busy, problem, run } = useAttempt()
  // A block ends within a day. Without the year, the time fits beside the button.
  const time = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

  useEffect(() => {
    let isUnmounted = false
    const load = async () => {
      const list = await device.blocks(account)
      if (!isUnmounted) setBlocks(list)
    }
    // The rest of the screen works without a connection.
    load().catch(() => {})
    return () => void (isUnmounted = true)
  }, [device, account.id])

  async function lift(block: RequesterBlock) {
    await device.liftBlock(account, block)
    setBlocks((before) => before.filter(({ id }) => id !== block.id))
  }
  if (blocks.length === 0) return null
  return (
    <section class="part" aria-labelledby="blocks">
      <h2 id="blocks">{words.approvalBlocks}</h2>
      <ul class="list">
        {blocks.map((block) => (
          <li key={block.id}>
            <div class="row">
              <span>
                <strong>
                  <RequesterName requester={block.requester} app={block.domain.name} />
                </strong>
                <small>{words.approvalBlockedUntil(time.format(block.until * 1000))}</small>
              </span>
              <Button
                class="outlined"
                aria-disabled={busy}
                onClick={() => busy || void run(() => lift(block))}
                label={words.approvalAllow}
              />
            </div>
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </section>
  )
}
